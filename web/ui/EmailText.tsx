import { Fragment } from 'react'

/** An email address that wraps only after its @ and before a dot. */
export const EmailText = ({ email }: { email: string }) =>
  email.split(/(?<=@)|(?=\.)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
