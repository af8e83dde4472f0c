import type { CappedCount } from '#contract/console/documents.ts'
import { useConsole } from '../api.ts'
import { Chip, ScreenHead, showTime, Waiting } from '../parts.tsx'
import { Link } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'

export const showCount = ({ count, is_capped }: CappedCount) =>
  `${count.toLocaleString('en-US')}${is_capped ? ' or more' : ''}`

/** The legal documents and which version of each is live. */
export function DocumentsScreen() {
  const { api, session, may } = useConsole()
  const loaded = useLoaded('documents', () => api.listDocuments({}))
  const { data } = loaded
  return (
    <>
      <ScreenHead title="Documents" lead="What members agree to. A published version never changes.">
        {may('publish_documents') && (
          <Link to="/console/documents/new" className="button">
            Add a document
          </Link>
        )}
      </ScreenHead>
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        <div className="card">
          <table className="table members">
            <thead>
              <tr>
                <th scope="col">Document</th>
                <th scope="col">Shown</th>
                <th scope="col">Live</th>
                <th scope="col">Accepted by</th>
              </tr>
            </thead>
            <tbody>
              {data.documents.map(
                ({ id, title, status, is_at_checkout, version, published_at, accepted, scheduled_at }) => (
                  <tr key={id}>
                    <td>
                      <Link to={`/console/documents/${id}`} className="row-link">
                        {title}
                      </Link>
                      {scheduled_at && (
                        <span className="small">
                          The next version is live from {showTime(scheduled_at, session.time_zone)}
                        </span>
                      )}
                    </td>
                    <td>
                      {status !== 'active' ? (
                        <Chip>{status}</Chip>
                      ) : is_at_checkout ? (
                        <Chip tone="good">at checkout</Chip>
                      ) : (
                        <Chip>not at checkout</Chip>
                      )}
                    </td>
                    <td>
                      Version {version}
                      {published_at && (
                        <span className="small"> since {showTime(published_at, session.time_zone)}</span>
                      )}
                    </td>
                    <td>
                      <span className="phone-label">Accepted by </span>
                      {showCount(accepted)}
                    </td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
