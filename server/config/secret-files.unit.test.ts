import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TEST_SECRET } from '#server/test/generous-settings.ts'
import { production, settingErrors } from '#server/test/settings.ts'
import { readConfig } from './config.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'foyer-secrets-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, content: string) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const withoutSecret = { ...production, SECRET: undefined }

describe('a secret', () => {
  test('20.5 comes from a file, without the line break at its end', () => {
    const env = {
      ...withoutSecret,
      SECRET_FILE: file('secret', `${TEST_SECRET}\n`),
      DATABASE_URL: undefined,
      DATABASE_URL_FILE: file('database', `${production.DATABASE_URL}\r\n`),
      MAIL: undefined,
      MAIL_FILE: file('mail', production.MAIL),
      PHONE: 'twilio',
      TWILIO_ACCOUNT_SID: `AC${'0123456789abcdef'.repeat(2)}`,
      TWILIO_AUTH_TOKEN_FILE: file('token', ' a token \n'),
      TWILIO_SERVICE_SID: `VA${'0123456789abcdef'.repeat(2)}`,
    }
    expect(readConfig(env)).toMatchObject({
      SECRET: TEST_SECRET,
      DATABASE_URL: production.DATABASE_URL,
      MAIL: production.MAIL,
      TWILIO_AUTH_TOKEN: 'a token',
    })
  })

  test('20.5 a mailbox in MAIL, as login shells set it, does not conflict with MAIL_FILE', () => {
    const MAIL_FILE = file('mail', production.MAIL)
    expect(readConfig({ ...production, MAIL: '/var/mail/ada', MAIL_FILE }).MAIL).toBe(production.MAIL)
  })
})

describe('the start is refused', () => {
  const problemWith = (SECRET_FILE: string) =>
    settingErrors({ ...withoutSecret, SECRET_FILE }).filter((line) => line.startsWith('SECRET_FILE'))

  test('20.5 if a secret is set twice', () =>
    expect(settingErrors({ ...production, SECRET_FILE: file('secret', TEST_SECRET) })).toEqual([
      'SECRET_FILE must not be set together with SECRET',
    ]))

  test('20.5 if the file is missing, a folder, empty or has more than one line', () => {
    const missing = join(folder, 'missing')
    expect(problemWith(missing)).toEqual([`SECRET_FILE names a file that cannot be read (ENOENT): ${missing}`])
    expect(problemWith(folder)).toEqual([`SECRET_FILE names a file that cannot be read (EISDIR): ${folder}`])
    const empty = file('empty', ' \n')
    expect(problemWith(empty)).toEqual([`SECRET_FILE names an empty file: ${empty}`])
    const long = file('long', `${TEST_SECRET}\n${TEST_SECRET}`)
    expect(problemWith(long)).toEqual([`SECRET_FILE names a file with more than one line: ${long}`])
  })

  test.skipIf(process.getuid?.() === 0)('20.5 if the file must not be read', () => {
    const closed = file('closed', TEST_SECRET)
    chmodSync(closed, 0)
    expect(problemWith(closed)).toEqual([`SECRET_FILE names a file that cannot be read (EACCES): ${closed}`])
  })

  test('20.5 if a setting that is not a secret is given as a file', () =>
    expect(settingErrors({ PORT_FILE: 'x' })).toEqual(['PORT_FILE is not a setting: only secrets are read from files']))
})
