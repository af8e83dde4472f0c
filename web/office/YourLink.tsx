import { type RefObject, useRef, useState, useSyncExternalStore } from 'react'
import { brand } from '#contract/brand.ts'
import type { OfficeView } from '#contract/office-calls.ts'
import { longDay } from '#web/dates.ts'
import { CheckIcon } from '#web/icons.tsx'
import { CopyIcon, DownloadIcon, ShareIcon } from '#web/laterIcons.tsx'
import { log } from '#web/log.ts'
import { useTimeout } from '#web/useTimeout.ts'

/** The member's link to copy, share or scan. Once the membership has ended, it only says so. */
export function YourLink({ view: { link, username, membership } }: { view: OfficeView }) {
  const address = useRef<HTMLAnchorElement>(null)
  const host = link.replace(/^https?:\/\//, '').slice(0, -username.length)
  return (
    <section className="link-card" aria-labelledby="your-link">
      <div className="link-text">
        <h2 id="your-link">Your link</h2>
        <p>
          {membership.is_over
            ? `It closed on ${longDay(membership.renews_on)}, when your membership ended.`
            : 'Anyone who joins through this link becomes your referral.'}
        </p>
        <a className="link-address" href={link} ref={address}>
          {host}
          <wbr />
          <strong>{username}</strong>
        </a>
        {!membership.is_over && <LinkActions link={link} address={address} />}
      </div>
      {!membership.is_over && (
        <figure className="link-code">
          <img src="/office/link.svg" alt="QR code of your link" width="160" height="160" />
          <figcaption>
            <p>People can scan this on your screen or on paper.</p>
            <a href="/office/link.svg" download={`${username}.svg`}>
              <DownloadIcon />
              <span>
                Download <span className="unseen">the QR code</span>
              </span>
            </a>
          </figcaption>
        </figure>
      )}
    </section>
  )
}

const COPIED_MS = 4_000

const copyMessages = {
  copied: 'Link copied.',
  selected: "Your browser doesn't allow copying. The link is selected, so you can copy it yourself.",
}

function LinkActions({ link, address }: { link: string; address: RefObject<HTMLAnchorElement | null> }) {
  const [copyResult, setCopyResult] = useState<keyof typeof copyMessages>()
  const mayShare = useSyncExternalStore(neverChanges, hasShare, () => false)
  const isCopied = copyResult === 'copied'
  useTimeout(() => setCopyResult(undefined), isCopied ? COPIED_MS : undefined)

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link)
      setCopyResult('copied')
    } catch (cause) {
      log('The link could not be copied.', cause)
      if (address.current) getSelection()?.selectAllChildren(address.current)
      setCopyResult('selected')
    }
  }

  return (
    <div className="link-actions">
      <button type="button" className="button" onClick={copy}>
        {isCopied ? <CheckIcon /> : <CopyIcon />}
        {isCopied ? 'Copied' : 'Copy'}
      </button>
      {mayShare && (
        <button type="button" className="button quiet" onClick={() => share(link)}>
          <ShareIcon />
          Share
        </button>
      )}
      <p role="status" className={isCopied ? 'unseen' : undefined}>
        {copyResult && copyMessages[copyResult]}
      </p>
    </div>
  )
}

const neverChanges = () => () => {}
const hasShare = () => typeof navigator.share === 'function'

/** Opens the device's share sheet. Closing it is not an error. */
const share = (url: string) =>
  navigator.share({ title: brand.name, url }).catch((cause: unknown) => log('The link was not shared.', cause))
