import { MASTER } from '#contract/site.ts'
import { Message } from './Message.tsx'

/** For a site in front of an operator's API host: says where to find what this person is looking for. */
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
