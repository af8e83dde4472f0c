import { brand } from '#contract/brand.ts'
import type { DocumentedCall } from '#contract/pages.ts'
import { Header } from '#web/Header.tsx'
import { fieldsOf, typeOf } from './schema.ts'

export function Docs({ calls }: { calls: DocumentedCall[] }) {
  return (
    <div className="page">
      <Header />
      <main className="prose">
        <h1>API reference</h1>
        <p className="lead">
          The calls that the pages of {brand.name} make to the server. POST calls take JSON, GET calls take query
          parameters. An error has a message and, for invalid fields, messages by field.
        </p>
        <nav aria-label="Calls">
          <ul className="contents">
            {calls.map((call) => (
              <li key={anchor(call)}>
                <a href={`#${anchor(call)}`}>
                  <Method method={call.method} />
                  <code>{call.path}</code>
                </a>
                <span>{call.summary}</span>
              </li>
            ))}
          </ul>
        </nav>
        {calls.map((call) => (
          <section key={anchor(call)} className="call" id={anchor(call)}>
            <h2>{call.summary}</h2>
            <p className="call-line">
              <Method method={call.method} />
              <code>{call.path}</code>
            </p>
            <SchemaTable title="Request" schema={call.input} emptyText="No fields." />
            <SchemaTable title="Response" schema={call.output} emptyText="An empty object." />
          </section>
        ))}
      </main>
    </div>
  )
}

const anchor = ({ method, path }: DocumentedCall) => `${method} ${path}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')

const Method = ({ method }: { method: string }) => <span className={`chip ${method.toLowerCase()}`}>{method}</span>

type SchemaTableProps = { title: string; schema: Record<string, unknown> | undefined; emptyText: string }

function SchemaTable({ title, schema, emptyText }: SchemaTableProps) {
  const fields = fieldsOf(schema)
  const isList = schema?.type === 'array'
  return (
    <>
      <h3>
        {title}
        {isList && <small> a list of</small>}
      </h3>
      {fields.length ? (
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Type</th>
                <th scope="col">Rule</th>
              </tr>
            </thead>
            <tbody>
              {fields.map(({ name, type, rule, required }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                    {!required && <span className="optional"> optional</span>}
                  </th>
                  <td>{type}</td>
                  <td>{rule && <code>{rule}</code>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <p>{schema && typeOf(schema) !== 'object' ? typeOf(schema) : emptyText}</p>
      )}
    </>
  )
}
