import type { ComponentProps } from 'react'
import { PasswordField } from './PasswordField.tsx'

type Props = Omit<ComponentProps<typeof PasswordField>, 'label' | 'autoComplete' | 'enterKeyHint'> & {
  enterKeyHint?: 'next' | 'go'
}

/** Shows that a change is made by the member, and not by whoever found the office open. */
export const CurrentPassword = ({ enterKeyHint = 'go', ...field }: Props) => (
  <PasswordField {...field} label="Current password" autoComplete="current-password" enterKeyHint={enterKeyHint} />
)
