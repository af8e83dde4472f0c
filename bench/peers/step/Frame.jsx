import { ChevronIcon, LockIcon } from './icons.jsx'

/** The brand and the note about security. */
export const Header = () => (
  <header className="header">
    <a className="brand" href="/">
      <img src="/assets/mark.svg" alt="" width="30" height="30" loading="lazy" />
      Foyer
    </a>
    <p className="test-note">Test mode</p>
    <p className="safe">
      <LockIcon />
      <span>Encrypted. We never store your card.</span>
    </p>
  </header>
)

/** The order and the sponsor. */
export const Side = () => (
  <aside className="side" aria-label="Your order">
    <div className="card">
      <details className="order">
        <summary>
          <span className="initials" aria-hidden="true">
            AP
          </span>
          <span className="order-line">
            <b className="order-price">$99.00</b> today, then monthly
          </span>
          <span className="order-sponsor">with Ana's Paper Lantern Studio</span>
          <ChevronIcon />
        </summary>
        <div className="order-body">
          <img className="order-picture" src="/assets/packages/34.svg" alt="" width="720" height="296" />
          <div className="order-text">
            <h2>Founding Membership</h2>
            <div className="order-about">
              <p>Everything in the office, from the first minute.</p>
              <button type="button" className="link">
                Change<span className="unseen"> package</span>
              </button>
            </div>
            <dl>
              <div>
                <dt>Today</dt>
                <dd>$99.00</dd>
              </div>
              <div>
                <dt>Then monthly, from Dec 15</dt>
                <dd>$99.00</dd>
              </div>
              <div className="total">
                <dt>Total today</dt>
                <dd>$99.00</dd>
              </div>
            </dl>
          </div>
        </div>
      </details>
      <div className="sponsor">
        <span className="initials" aria-hidden="true">
          AP
        </span>
        <p>
          You are joining with <strong>Ana's Paper Lantern Studio</strong>
        </p>
      </div>
    </div>
  </aside>
)
