/** Brings a field under the visitor's hands. */
export const focusField = (name: string): void => document.getElementById(name)?.focus()
