import { type RefObject, useRef, useState, useSyncExternalStore } from 'react'
import { brand } from '#contract/brand.ts'
import type { OfficeView } from '#contract/office-calls.ts'
import { longDay } from '#web/dates.ts'
import { CheckIcon } from '#web/icons.tsx'
import { CopyIcon, DownloadIcon, ShareIcon } from '#web/laterIcons.tsx'
import { log } from '#web/log.ts'
import { useTimeout } from '#web/useTimeout.ts'

/** The member's own link: to copy, to share and to scan, as long as it leads to them. */
export function YourLink({ view: { link, username, membership } }: { view: OfficeView }) {
  const shown = useRef<HTMLAnchorElement>(null)
  const host = link.replace(/^https?:\/\//, '').slice(0, -username.length)
  return (
    <section className="link-card" aria-labelledby="your-link">
      <div className="link-words">
        <h2 id="your-link">Your own link</h2>
        <p>
          {membership.is_over
            ? `It closed on ${longDay(membership.renews_on)}, when your membership ended.`
            : 'Whoever joins through it joins with you.'}
        </p>
        <a className="link-address" href={link} ref={shown}>
          {host}
          <wbr />
          <strong>{username}</strong>
        </a>
        {!membership.is_over && <Ways link={link} shown={shown} />}
      </div>
      {!membership.is_over && (
        <figure className="link-code">
          <img src="/office/link.svg" alt="QR code of your link" width="160" height="160" />
          <figcaption>
            <p>Let somebody scan it, from here or from paper.</p>
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

const SEEN = 4_000

const told = {
  copied: 'Your link is copied.',
  selected: 'Your browser does not let us copy. The link is selected: please copy it yourself.',
}

function Ways({ link, shown }: { link: string; shown: RefObject<HTMLAnchorElement | null> }) {
  const [news, setNews] = useState<keyof typeof told>()
  const mayShare = useSyncExternalStore(never, hasShare, () => false)
  const isCopied = news === 'copied'
  useTimeout(() => setNews(undefined), isCopied ? SEEN : undefined)

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link)
      setNews('copied')
    } catch (cause) {
      log('The link could not be copied.', cause)
      if (shown.current) getSelection()?.selectAllChildren(shown.current)
      setNews('selected')
    }
  }

  return (
    <div className="link-ways">
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
        {news && told[news]}
      </p>
    </div>
  )
}

const never = () => () => {}
const hasShare = () => typeof navigator.share === 'function'

/** Hands the link to whatever the device shares with. Who closes that again has not failed. */
const share = (url: string) =>
  navigator.share({ title: brand.name, url }).catch((cause: unknown) => log('The link was not shared.', cause))
