import { MASTER } from '#contract/site.ts'
import { Message } from './Message.tsx'

export const NotFound = () => (
  <Message
    code="404"
    title="Page not found"
    action={
      <a className="button" href={`/${MASTER}`}>
        Go to the home page
      </a>
    }
  >
    We couldn't find that page. If someone gave you this link, please ask them to send it again.
  </Message>
)
