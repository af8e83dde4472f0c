import type { FallbackStart } from '#contract/start.ts'
import { Header } from '#web/Header.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { ProgressIndicator } from './ProgressIndicator.tsx'

/** A placeholder for a page that was served without its start data. The notice appears if the script gets none either. */
export function LoadingPage({ start }: { start: FallbackStart }) {
  const { start_step, autoship, special } = start.policy
  return (
    <div className="page">
      <Header note="Encrypted. We never store your card." />
      <div className="enroll">
        <ProgressIndicator currentStep={start_step} show_autoship={autoship} show_special={special} />
        <aside className="side" aria-label="Your order">
          <div className="card shape tall" />
        </aside>
        <main className="main">
          <h1>One moment, please</h1>
          <p className="lead">We are loading your page.</p>
          <noscript>
            <Notice tone="alert">This form needs JavaScript. Please turn it on and reload the page.</Notice>
          </noscript>
          <div className="unanswered">
            <Notice tone="alert" role="alert" title="The site is not responding at the moment.">
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
