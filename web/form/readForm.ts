/** What stands in a form now, typed, filled in or restored: every named field, with '0' for a box that is not ticked. */
export function readForm(form: HTMLFormElement): Record<string, string> {
  const empty = [...form.elements].flatMap((element) => {
    const name = element.getAttribute('name')
    if (!name || element instanceof HTMLButtonElement) return []
    return [[name, element instanceof HTMLInputElement && element.type === 'checkbox' ? '0' : '']]
  })
  const filled = [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries([...empty, ...filled])
}
