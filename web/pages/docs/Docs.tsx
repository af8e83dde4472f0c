import { brand } from '#contract/brand.ts'
import type { ApiReference, DocumentedCall } from '#contract/pages.ts'
import { Header } from '#web/Header.tsx'
import { curlOf, exampleOf } from './examples.ts'
import { fieldsOf, typeOf } from './schema.ts'

/** The reference of the API, made from the contract. main.ts adds the filter and the Copy buttons. */
export function Docs({ base_url, calls, error }: ApiReference) {
  const groups = [...Map.groupBy(calls, ({ group }) => group)]
  return (
    <div className="page docs">
      <Header />
      <div className="docs-columns">
        <nav aria-label="Calls" className="docs-nav">
          <div className="scripted" hidden>
            <label htmlFor="filter">Find a call</label>
            <input id="filter" className="control" type="search" autoComplete="off" placeholder="Field, path or word" />
            <p id="filter-status" className="hint" role="status">
              {calls.length} calls
            </p>
          </div>
          <details>
            <summary>All calls</summary>
            {groups.map(([group, members]) => (
              <div key={group} data-group={group}>
                <h2>{group}</h2>
                <ul>
                  {members.map((call) => (
                    <li key={call.name} data-call={call.name}>
                      <a href={`#${call.name}`}>{call.summary}</a>
                    </li>
                  ))}
                </ul>
              </div>
            ))}
            <h2>Good to know</h2>
            <ul>
              <li>
                <a href="#errors">Errors</a>
              </li>
              <li>
                <a href="#idempotency">Paying once</a>
              </li>
            </ul>
          </details>
        </nav>
        <main>
          <h1>API reference</h1>
          <p className="lead">
            The calls that the pages of {brand.name} make to the server. A POST takes JSON, a GET takes query
            parameters. The same as a file: <a href="/api/openapi.json">OpenAPI 3.1</a>.
          </p>
          {groups.map(([group, members]) => (
            <section key={group} data-group={group} aria-label={group}>
              <h2 className="docs-group">{group}</h2>
              {members.map((call) => (
                <CallReference key={call.name} call={call} base_url={base_url} />
              ))}
            </section>
          ))}
          <Errors error={error} />
          <Idempotency />
        </main>
      </div>
    </div>
  )
}

function CallReference({ call, base_url }: { call: DocumentedCall; base_url: string }) {
  const { name, method, path, summary, input, messages, output, mayBePending } = call
  return (
    <article className="call" id={name} data-call={name} aria-labelledby={`${name}-title`}>
      <h3 id={`${name}-title`}>
        <a href={`#${name}`}>{summary}</a>
      </h3>
      <p className="call-line">
        <span className={`chip ${method.toLowerCase()}`}>{method}</span>
        <code>{path}</code>
      </p>
      <h4>Request</h4>
      <Fields schema={input} messages={messages} emptyText="No fields." />
      <Code label="Example request" text={curlOf(call, base_url)} />
      <h4>
        Answer{' '}
        <small>
          200{mayBePending && ', or 202 while the payment is still being checked'}
          {output.type === 'array' && ', a list of'}
        </small>
      </h4>
      <Fields schema={output} emptyText="An empty object." />
      <Code label="Example answer" text={JSON.stringify(exampleOf(output), null, 2)} />
    </article>
  )
}

type FieldsProps = { schema: Record<string, unknown>; messages?: Record<string, string[]>; emptyText: string }

/** Longer lists are folded, so that the next call stays in reach. */
const MAX_OPEN_FIELDS = 12

function Fields({ schema, messages = {}, emptyText }: FieldsProps) {
  const fields = fieldsOf(schema)
  if (!fields.length) return <p>{'type' in schema && typeOf(schema) !== 'object' ? typeOf(schema) : emptyText}</p>
  const list = (
    <dl className="docs-fields">
      {fields.map(({ name, type, rule, required }) => (
        <div key={name}>
          <dt>
            <code>{name}</code> <span>{[type, rule, !required && 'optional'].filter(Boolean).join(' · ')}</span>
          </dt>
          {messages[name]?.map((message) => (
            <dd key={message}>{message}</dd>
          ))}
        </div>
      ))}
    </dl>
  )
  if (fields.length <= MAX_OPEN_FIELDS) return list
  return (
    <details className="docs-more">
      <summary>{fields.length} fields</summary>
      {list}
    </details>
  )
}

/** Scrolls sideways; the focus makes that possible with the keyboard. */
const Code = ({ label, text }: { label: string; text: string }) => (
  <div className="docs-code">
    <div className="docs-code-head">
      <span>{label}</span>
      <button type="button" className="copy scripted" hidden aria-live="polite">
        Copy
      </button>
    </div>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </div>
)

const statuses: [status: string, meaning: string][] = [
  ['400', 'The request is not valid JSON, or not HTTP.'],
  ['401', 'No one is signed in to the office.'],
  ['404', 'There is no such call.'],
  ['413, 415', 'The body is larger than 64 kB, or not JSON.'],
  ['422', 'Some fields are wrong: `fields` has the messages of each.'],
  ['429', 'Too many requests. Retry-After says how many seconds to wait.'],
  ['503', 'We’re away for a moment. Send the same request again, with the same key, after the seconds in Retry-After.'],
  ['5xx', 'Our mistake. Ask what became of a payment before you try it again.'],
]

const Errors = ({ error }: Pick<ApiReference, 'error'>) => (
  <section className="call" id="errors">
    <h2>Errors</h2>
    <p>Every error has a sentence for the person and, for wrong fields, messages by field.</p>
    <Fields schema={error} emptyText="" />
    <Code
      label="Example error"
      text={JSON.stringify(
        { message: 'Please check the marked fields.', fields: { email: ['Invalid email format.'] } },
        null,
        2,
      )}
    />
    <dl className="docs-fields">
      {statuses.map(([status, meaning]) => (
        <div key={status}>
          <dt>
            <code>{status}</code> <span>{meaning.replaceAll('`', '')}</span>
          </dt>
        </div>
      ))}
    </dl>
  </section>
)

const Idempotency = () => (
  <section className="call" id="idempotency">
    <h2>Paying once</h2>
    <p>
      Send an <code>Idempotency-Key</code> header with <a href="#addEnrollment">an enrollment</a>: a UUID for the
      enrollment, a dot, and the number of the attempt, such as <code>5f0c1e9a-7c1d-4b7e-9a51-0d6f0b8f2c11.1</code>.
    </p>
    <ul className="docs-list">
      <li>The same key always means the same payment. A repeated request gets the same answer and charges nothing.</li>
      <li>After a decline, the next attempt needs the next number.</li>
      <li>
        If an answer is lost, or says <code>Pending</code>, ask for <a href="#getStatus">the outcome</a> with the same
        key. That starts nothing.
      </li>
    </ul>
  </section>
)
