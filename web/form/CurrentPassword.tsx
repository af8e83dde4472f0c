import type { ComponentProps } from 'react'
import { PasswordField } from './PasswordField.tsx'

type Props = Omit<ComponentProps<typeof PasswordField>, 'label' | 'autoComplete' | 'enterKeyHint'> & {
  enterKeyHint?: 'next' | 'go'
}

/** Proves that the member is making the change, not someone who found the office open. */
export const CurrentPassword = ({ enterKeyHint = 'go', ...field }: Props) => (
  <PasswordField {...field} label="Current password" autoComplete="current-password" enterKeyHint={enterKeyHint} />
)
