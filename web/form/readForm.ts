/** The current value of every named field, however it was entered. An unchecked box is '0'. */
export function readForm(form: HTMLFormElement): Record<string, string> {
  const emptyFields = [...form.elements].flatMap((element) => {
    const name = element.getAttribute('name')
    if (!name || element instanceof HTMLButtonElement) return []
    return [[name, element instanceof HTMLInputElement && element.type === 'checkbox' ? '0' : '']]
  })
  const entries = [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries([...emptyFields, ...entries])
}
