/** An email address that wraps only after its @ and before a dot. */
export const EmailText = ({ email }: { email: string }) => {
  const [, word, rest] = /^(\.?[^.@]*@?)(.*)$/.exec(email) ?? []
  return (
    <>
      {word}
      {rest && (
        <>
          <wbr />
          <EmailText email={rest} />
        </>
      )}
    </>
  )
}
