import type { KeyboardEvent } from 'react'

/** An iPhone's "next" key sends the form like any Enter: where fingers type, it goes to the next field, as it says. */
export function onEnter(event: KeyboardEvent<HTMLFormElement>) {
  const field = event.target
  if (
    event.nativeEvent.isComposing ||
    event.key !== 'Enter' ||
    !(field instanceof HTMLInputElement) ||
    field.enterKeyHint !== 'next'
  )
    return
  if (!matchMedia('(pointer: coarse)').matches) return
  event.preventDefault()
  const fields = [...event.currentTarget.elements] as HTMLInputElement[]
  fields.find((next, at) => at > fields.indexOf(field) && next.name && next.tabIndex >= 0 && !next.disabled)?.focus()
}
