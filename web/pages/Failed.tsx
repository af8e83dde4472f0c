import { Message } from './Message.tsx'

/** For a server error, or while the server is shutting down. */
export const Failed = () => (
  <Message
    title="Sorry, something went wrong"
    action={
      <a className="button" href="?">
        Try again
      </a>
    }
  >
    We can't show this page right now. Please try again in a minute. What you've entered so far is saved in this tab.
  </Message>
)
