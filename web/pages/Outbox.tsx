import type { ComponentType } from 'react'
import type { OutboxMessage, TestPage } from '#contract/pages.ts'
import { Header } from '#web/Header.tsx'
import { CallIcon, MailIcon, SmsIcon } from '#web/laterIcons.tsx'
import { TestPages } from './TestPages.tsx'

const channels: Record<OutboxMessage['channel'], { name: string; icon: ComponentType }> = {
  mail: { name: 'Email', icon: MailIcon },
  sms: { name: 'SMS', icon: SmsIcon },
  call: { name: 'Call', icon: CallIcon },
}

/** Longer messages are collapsed. */
const COLLAPSE_LENGTH = 2000

/** The messages that the embedded gateways would have sent, newest first. */
export function Outbox({ messages, testPages }: { messages: OutboxMessage[]; testPages: TestPage[] }) {
  const newestFirst = messages.toSorted((a, b) => b.created_at.localeCompare(a.created_at))
  return (
    <div className="page">
      <Header />
      <main className="prose">
        <TestPages current="outbox" testPages={testPages} />
        <h1>Outbox</h1>
        <p className="lead">
          The emails and text messages that real services would have sent. Nothing has left this computer.
        </p>
        {messages.length ? (
          <ol className="entries">
            {newestFirst.map((message) => (
              <li key={message.id}>
                <MessageEntry message={message} />
              </li>
            ))}
          </ol>
        ) : (
          <div className="empty-state">
            <MailIcon />
            <p>No messages yet. Join as a test member to see the welcome email here.</p>
          </div>
        )}
      </main>
    </div>
  )
}

function MessageEntry({ message }: { message: OutboxMessage }) {
  const { id, channel, recipient, subject, body, has_html, attachment, created_at, sent_at } = message
  const { name, icon: Icon } = channels[channel]
  return (
    <article className="entry">
      <header>
        <span className="chip">
          <Icon />
          {name}
        </span>
        <span className="entry-recipient">
          <span className="unseen">to </span>
          {recipient}
        </span>
        <time dateTime={created_at}>{sent_at}</time>
      </header>
      {subject && <h2>{subject}</h2>}
      {body.length > COLLAPSE_LENGTH ? (
        <details>
          <summary>Show message</summary>
          <p className="entry-body">{withLinks(body)}</p>
        </details>
      ) : (
        <p className="entry-body">{withLinks(body)}</p>
      )}
      {(has_html || attachment) && (
        <footer>
          {has_html && <a href={`/__outbox/${id}`}>View as HTML</a>}
          {attachment && <a href={`/__outbox/${id}/attachment`}>{attachment}</a>}
        </footer>
      )}
    </article>
  )
}

const withLinks = (text: string) =>
  text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)])/).map((part, index) =>
    index % 2 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change their order
      <a key={index} href={part}>
        {part}
      </a>
    ) : (
      part
    ),
  )
