import { useState } from 'react'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { type Api, useConsole } from '../api.ts'
import { Panel, Waiting } from '../parts.tsx'
import { useLoaded } from '../useLoaded.ts'

type Page = Awaited<ReturnType<Api['listImportProblems']>>

/** The bad lines of a file, in its order, a page at a time. */
export function Problems({ import_id }: { import_id: string }) {
  const { api } = useConsole()
  const loaded = useLoaded<Page>(import_id, () => api.listImportProblems({ import_id }))
  const [error, setError] = useState<string>()
  const [isLoadingMore, setLoadingMore] = useState(false)
  const { data, setData } = loaded
  if (!data) return <Waiting loaded={loaded} />
  const { problems, next } = data
  const more = () => {
    if (isLoadingMore) return // a second press would add the same lines again
    setLoadingMore(true)
    setError(undefined)
    api
      .listImportProblems({ import_id, after: next })
      .then(
        (page) => setData({ ...page, problems: [...problems, ...page.problems] }),
        (cause: unknown) => setError(errorMessage(cause)),
      )
      .finally(() => setLoadingMore(false))
  }
  return (
    <Panel title="Problems">
      <table className="table tight stacked problems">
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Column</th>
            <th scope="col">Problem</th>
          </tr>
        </thead>
        <tbody>
          {problems.map(({ line, column_name, problem }) => (
            <tr key={`${line} ${column_name}`}>
              <th scope="row">
                <span className="label">Line </span>
                {line}
              </th>
              <td>
                <code>{column_name}</code>
              </td>
              <td className="problem">{problem}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ErrorNotice message={error} />
      {next !== undefined && (
        <button type="button" className="button quiet" aria-busy={isLoadingMore || undefined} onClick={more}>
          Show more
        </button>
      )}
    </Panel>
  )
}
