import { expect, it } from 'vitest'
import { readConfig } from '#server/config/config.ts'
import { codePolicy, elsewhereMessage } from './countries.ts'

it.each([
  ['US,CA,PR,GU,VI,AS,MP', 'a mobile number from the United States or Canada'],
  ['GB', 'a mobile number from the United Kingdom'],
  ['DE,AT,CH', 'a mobile number from Germany, Austria, or Switzerland'],
  ['PR,VI', 'a mobile number from Puerto Rico or the U.S. Virgin Islands'],
  ['US,CA,MX,GB,DE,FR,ES,IT,PT', 'a mobile number from another country'],
])('5.10 with PHONE_COUNTRIES=%s a visitor from elsewhere is asked for %s', (PHONE_COUNTRIES, asked) =>
  expect(elsewhereMessage(readConfig({ PHONE_COUNTRIES }))).toBe(
    `We can’t send a code to this country. Please use ${asked}.`,
  ),
)

it('5.6 5.10 the page learns about countries and calls only if every visitor confirms their phone', () => {
  expect(codePolicy(readConfig({ VOICE_CALL: 'on' }))).toEqual({})
  const PHONE_VERIFICATION = 'on'
  expect(codePolicy(readConfig({ PHONE_VERIFICATION })).voice_call).toBe(false)
  expect(codePolicy(readConfig({ PHONE_VERIFICATION, VOICE_CALL: 'on', PHONE_COUNTRIES: 'GB' }))).toEqual({
    code_countries: { codes: ['GB'], elsewhere: expect.any(String) },
    voice_call: true,
  })
})
