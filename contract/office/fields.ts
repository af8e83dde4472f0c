import * as z from 'zod/mini'
import { figures } from '#contract/figures.ts'

/** An existing password: it is compared with the stored one, so the rules for new passwords do not apply. */
export const existingPassword = (message: string) =>
  z.string(message).check(z.minLength(1, message), z.maxLength(figures.password_max_length, message))

export const current_password = existingPassword('Please enter your current password.')
