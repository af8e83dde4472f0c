import { MASTER } from '#contract/site.ts'
import { Message } from './Message.tsx'

/** An address that leads nowhere. */
export const NotFound = () => (
  <Message
    code="404"
    title="This door leads nowhere"
    way={
      <a className="button" href={`/${MASTER}`}>
        Go to the main entrance
      </a>
    }
  >
    We could not find the page that you asked for. If somebody gave you this link, please ask them for it once more.
  </Message>
)
