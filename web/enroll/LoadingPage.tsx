import type { FallbackStart } from '#contract/start.ts'
import { Header } from '#web/Header.tsx'
import { Notice } from '#web/Notice.tsx'
import { Indicator } from './ProgressIndicator.tsx'

/** The shape of the page while its script asks for what should stand in it. The notice shows itself if nobody answers. */
export function Waiting({ start }: { start: FallbackStart }) {
  const { start_step, autoship, special } = start.policy
  return (
    <div className="page">
      <Header note="Encrypted. We never store your card." />
      <div className="enroll">
        <Indicator currentStep={start_step} show_autoship={autoship} show_special={special} />
        <aside className="side" aria-label="Your order">
          <div className="card shape tall" />
        </aside>
        <main className="main">
          <h1>One moment, please</h1>
          <p className="lead">We are fetching your page.</p>
          <noscript>
            <Notice tone="alert">
              This form needs JavaScript to go on. Please switch it on and load the page again.
            </Notice>
          </noscript>
          <div className="unanswered">
            <Notice tone="alert" role="alert" title="Nobody answers at the moment.">
              Please try again in a minute. <a href="?">Try again</a>
            </Notice>
          </div>
          <div className="shapes" aria-hidden="true">
            <div className="shape" />
            <div className="shape" />
            <div className="shape" />
          </div>
        </main>
      </div>
    </div>
  )
}
