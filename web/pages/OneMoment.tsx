import { Failed } from './Failed.tsx'
import { Message } from './Message.tsx'

/** While the database moves. reopen.ts opens the page that was asked for as soon as the server has it. */
export const OneMoment = () => (
  <>
    <div className="awaited">
      <Message
        title="One moment, please"
        action={
          <>
            <div className="bar" />
            <noscript>
              <a className="button" href="?">
                Try again
              </a>
            </noscript>
          </>
        }
      >
        Your page opens by itself as soon as it’s ready.
      </Message>
    </div>
    <div className="unanswered" role="alert">
      <Failed />
    </div>
  </>
)
