/** An email address that wraps only after its @ and before a dot. */
export const EmailText = ({ email }: { email: string }) => {
  const [, word, rest] = /^(\.?[^.@]*@?)(.*)$/.exec(email) ?? []
  if (!rest) return word
  return (
    <>
      {word}
      <wbr />
      <EmailText email={rest} />
    </>
  )
}
