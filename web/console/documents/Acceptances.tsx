import { useConsole } from '../api.ts'
import { Panel, showTime, Waiting } from '../parts.tsx'
import { Link, toQuery, useAddress } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'

type AcceptancesProps = { document_id: number; version: number; base: string }

/** Who accepted a version, newest first. */
export function Acceptances({ document_id, version, base }: AcceptancesProps) {
  const { api, session } = useConsole()
  const { query } = useAddress()
  const after = query.get('after') ?? undefined
  const loaded = useLoaded(`${version} ${after}`, () =>
    api.listAcceptances({ document_id, version, ...(after ? { after } : {}) }),
  )
  const { data } = loaded
  const pageAt = (after?: string) => `${base}${toQuery({ accepted: String(version), after })}`
  return (
    <Panel title={`Who accepted version ${version}`} aside={<Link to={base}>Show the live text</Link>}>
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        <>
          <ul className="rows">
            {data.members.map(({ id, name, username, accepted_at }) => (
              <li key={id}>
                <div>
                  <Link to={`/console/members/${id}`}>
                    <bdi>{name}</bdi>
                  </Link>{' '}
                  <span className="small">/{username}</span>
                </div>
                <p className="small">{showTime(accepted_at, session.time_zone)}</p>
              </li>
            ))}
          </ul>
          {data.members.length === 0 && <p className="small">No one yet.</p>}
          <div className="pages">
            {after && (
              <Link to={pageAt()} className="button quiet">
                Newest
              </Link>
            )}
            {data.next && (
              <Link to={pageAt(data.next)} className="button quiet">
                Older
              </Link>
            )}
          </div>
        </>
      )}
    </Panel>
  )
}
