import { useRef } from 'react'
import type { OfficeView } from '#contract/office/view.ts'
import { ChevronIcon } from '#web/icons.tsx'
import { CopyIcon, DownloadIcon } from '#web/laterIcons.tsx'
import { CopyButton } from '#web/ui/CopyButton.tsx'
import { Invitation } from './Invitation.tsx'

/** The member's link to copy, send or scan. Once the membership has ended, it only says so. */
export function YourLink({ view: { link, username, membership } }: { view: OfficeView }) {
  const address = useRef<HTMLAnchorElement>(null)
  const [, host, site] = /^https?:\/\/(.*\/)(.*)$/.exec(link) ?? []
  const shown = (
    <>
      {host}
      <wbr />
      <strong>{site}</strong>
    </>
  )
  return (
    <section className="link-card" aria-labelledby="your-link">
      <div className="link-text">
        <h2 id="your-link">Your link</h2>
        <p>
          {membership.is_over
            ? `It’s closed.${membership.return_price ? ' It opens again when you come back.' : ''}`
            : 'Anyone who joins through this link becomes your referral.'}
        </p>
        {membership.is_over ? (
          <p className="link-address">{shown}</p>
        ) : (
          <a className="link-address" href={link} ref={address}>
            {shown}
          </a>
        )}
        {!membership.is_over && (
          <div className="link-actions">
            <CopyButton
              text={link}
              icon={<CopyIcon />}
              label="Copy link"
              copied="Link copied."
              select={() => address.current && getSelection()?.selectAllChildren(address.current)}
            />
          </div>
        )}
      </div>
      {!membership.is_over && (
        <details className="link-more">
          <summary className="unfold link-more-head">
            Send it with a message, or show its QR code
            <ChevronIcon />
          </summary>
          <div className="link-more-body">
            <figure className="link-code">
              <img src={`/office/link.svg?${username}`} alt="QR code of your link" width="160" height="160" />
              <figcaption>
                <p>People can scan this on your screen or on paper.</p>
                <div className="link-downloads">
                  <DownloadIcon />
                  <a href="/office/link.png" download={`${site}-qr-code.png`}>
                    <span className="unseen">Download the QR code as </span>PNG
                  </a>
                  <a href="/office/link.svg" download={`${site}-qr-code.svg`}>
                    <span className="unseen">Download the QR code as </span>SVG
                  </a>
                </div>
              </figcaption>
            </figure>
            <Invitation link={link} />
          </div>
        </details>
      )}
    </section>
  )
}
