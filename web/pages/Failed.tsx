import { Message } from './Message.tsx'

/** Something broke on our side, or we are closing. */
export const Failed = () => (
  <Message
    title="One moment, please"
    way={
      <a className="button" href="?">
        Try again
      </a>
    }
  >
    Something on our side is not working right now. Please try again in a minute. What you have entered so far is kept
    in this tab.
  </Message>
)
