import { expect } from 'vitest'
import { InvalidSettings, readConfig } from '#server/config/config.ts'
import { TEST_SECRET } from './generous-settings.ts'

type Env = Record<string, string | undefined>

/** The lines of the settings error; empty if the settings are valid. */
export const settingErrors = (env: Env): string[] => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error
    const [title, ...lines] = error.message.split('\n')
    expect(title).toBe('Invalid settings:')
    return lines.map((line) => line.trim())
  }
}
export const settingNames = (env: Env) => settingErrors(env).map((line) => line.split(' ')[0])

export const production = {
  NODE_ENV: 'production',
  SECRET: TEST_SECRET,
  PUBLIC_URL: 'https://join.example',
  DATABASE_URL: 'postgres://foyer:hunter2@db.example/foyer?sslmode=verify-full',
  MAIL: 'smtps://foyer:hunter2@mail.example',
  MAIL_FROM: 'Join <hello@join.example>',
  ALLOW_EMBEDDED: 'payment, phone',
}
