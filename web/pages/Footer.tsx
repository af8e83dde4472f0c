import type { Operator } from '#contract/receipts.ts'

/**
 * The foot of every page: who runs the site, and help that opens over the step without leaving it. Outside the page's
 * React root and without a script: an older browser without popovers shows the help below.
 */
export function Footer({ name, address, support, refunds }: Operator) {
  return (
    <footer className="footer">
      <address>
        <b>{name}</b>
        <br />
        {address}
      </address>
      {(support || refunds) && (
        <>
          <button type="button" className="link" popoverTarget="help">
            Need help?
          </button>
          <div id="help" className="help" popover="auto" role="dialog" aria-labelledby="help-title">
            <h2 id="help-title">Need help?</h2>
            {support && (
              <>
                <p>
                  {support.href.startsWith('mailto:') ? 'Write to us, ' : 'Visit our help page, '}
                  and come back here: what you’ve entered stays on this page.
                </p>
                <a href={support.href} target="_blank" rel="noopener">
                  {support.text}
                </a>
              </>
            )}
            {refunds && (
              <>
                <h3>Refunds</h3>
                <p>{refunds}</p>
              </>
            )}
            <h3>Who we are</h3>
            <p>
              {name}
              {address && `, ${address}`}
            </p>
            <button type="button" className="button quiet" popoverTarget="help" popoverTargetAction="hide">
              Close
            </button>
          </div>
        </>
      )}
    </footer>
  )
}
