import { useRef, useState, useSyncExternalStore } from 'react'
import { brand } from '#contract/brand.ts'
import { CopyIcon, MailIcon, ShareIcon, SmsIcon, WhatsAppIcon } from '#web/laterIcons.tsx'
import { log } from '#web/log.ts'
import { CopyButton } from '#web/ui/CopyButton.tsx'
import { INVITATION_MAX_LENGTH, invitations, sendingLinks, withLink } from './invitations.ts'

/** A text to send with the link: one of the ready ones, or the member's own. */
export function Invitation({ link }: { link: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [chosen, setChosen] = useState(0)
  const [texts, setTexts] = useState(() => invitations().map(({ text }) => text)) // each keeps what the member has edited
  const mayShare = useSyncExternalStore(neverChanges, hasShare, () => false)
  const text = texts[chosen] ?? ''
  const message = withLink(text, link)
  const { email, whatsapp, sms } = sendingLinks(message)
  return (
    <div className="invitation">
      <fieldset className="invitation-choice">
        <legend>Send it with a message</legend>
        {invitations().map(({ name }, index) => (
          <label key={name}>
            <input type="radio" name="invitation" checked={index === chosen} onChange={() => setChosen(index)} />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <textarea
        ref={field}
        className="control"
        rows={3}
        maxLength={INVITATION_MAX_LENGTH}
        aria-label="Message"
        aria-describedby="invitation-hint"
        value={text}
        onChange={({ target }) => setTexts(texts.map((other, index) => (index === chosen ? target.value : other)))}
      />
      <p className="small" id="invitation-hint">
        Your link is added at the end.
      </p>
      <div className="invitation-actions">
        <a className="button" href={email}>
          <MailIcon />
          Email
        </a>
        <a className="button" href={whatsapp} target="_blank" rel="noopener noreferrer">
          <WhatsAppIcon />
          WhatsApp
        </a>
        <a className="button" href={sms}>
          <SmsIcon />
          Text message
        </a>
        {mayShare && (
          <button type="button" className="button quiet" onClick={() => share(text, link)}>
            <ShareIcon />
            Share
          </button>
        )}
        <CopyButton
          quiet
          text={message}
          icon={<CopyIcon />}
          label="Copy message"
          copied="Message copied."
          select={() => field.current?.select()}
        />
      </div>
    </div>
  )
}

const neverChanges = () => () => {}
const hasShare = () => typeof navigator.share === 'function'

/** Opens the device's share sheet. Closing it is not an error. */
const share = (text: string, url: string) =>
  navigator
    .share({ title: brand.name, text: text.trim(), url })
    .catch((cause: unknown) => log('The link was not shared.', cause))
