import { MASTER } from '#contract/site.ts'
import { Message } from './Message.tsx'

/** The site runs in front of an operator's API host, which keeps what this person looks for. */
export const Elsewhere = ({ sentence }: { sentence: string }) => (
  <Message
    title="Not on this site"
    action={
      <a className="button" href={`/${MASTER}`}>
        Go to the home page
      </a>
    }
  >
    {sentence}
  </Message>
)
