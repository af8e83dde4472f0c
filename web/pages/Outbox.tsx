import type { ComponentType } from 'react'
import type { OutboxMessage } from '#contract/pages.ts'
import { Header } from '#web/Header.tsx'
import { CallIcon, MailIcon, SmsIcon } from '#web/laterIcons.tsx'

const channels: Record<OutboxMessage['channel'], { name: string; icon: ComponentType }> = {
  mail: { name: 'Mail', icon: MailIcon },
  sms: { name: 'SMS', icon: SmsIcon },
  call: { name: 'Call', icon: CallIcon },
}

/** A body of more signs than this is folded. */
const LONG = 2000

/** What embedded parts would have sent, newest first. */
export function Outbox({ messages }: { messages: OutboxMessage[] }) {
  const newestFirst = messages.toSorted((a, b) => b.created_at.localeCompare(a.created_at))
  return (
    <div className="page">
      <Header />
      <main className="reading">
        <h1>Outbox</h1>
        <p className="lead">
          Nothing here has left this machine. These are the messages that a real mail and phone service would have sent.
        </p>
        {messages.length ? (
          <ol className="letters">
            {newestFirst.map((message) => (
              <li key={message.id}>
                <Letter message={message} />
              </li>
            ))}
          </ol>
        ) : (
          <div className="nothing">
            <MailIcon />
            <p>No messages yet. Join once, and the welcome letter appears here.</p>
          </div>
        )}
      </main>
    </div>
  )
}

function Letter({ message }: { message: OutboxMessage }) {
  const { id, channel, recipient, subject, body, has_html, attachment, created_at } = message
  const { name, icon: Icon } = channels[channel]
  return (
    <article className="letter">
      <header>
        <span className="chip">
          <Icon />
          {name}
        </span>
        <span className="letter-to">
          <span className="unseen">to </span>
          {recipient}
        </span>
        <time dateTime={created_at}>{readable(created_at)}</time>
      </header>
      {subject && <h2>{subject}</h2>}
      {body.length > LONG ? (
        <details>
          <summary>Read it here</summary>
          <p className="letter-body">{withLinks(body)}</p>
        </details>
      ) : (
        <p className="letter-body">{withLinks(body)}</p>
      )}
      {(has_html || attachment) && (
        <footer>
          {has_html && <a href={`/__outbox/${id}`}>As a mail reader shows it</a>}
          {attachment && <a href={`/__outbox/${id}/attachment`}>{attachment}</a>}
        </footer>
      )}
    </article>
  )
}

/** '2026-11-15T02:10:00.000Z' → 'Nov 15, 2026, 02:10:00 UTC' */
const readable = (moment: string) =>
  `${new Date(moment).toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23', timeZone: 'UTC' })} UTC`

/** Addresses in a message can be followed. */
const withLinks = (text: string) =>
  text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)])/).map((part, place) =>
    place % 2 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a text does not change its order
      <a key={place} href={part}>
        {part}
      </a>
    ) : (
      part
    ),
  )
