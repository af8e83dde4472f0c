import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fields } from './fields.ts'
import { passwordMessages, passwordProblem } from './password.ts'

const { personal, common } = passwordMessages

const zoe = {
  first_name: 'Zoë',
  last_name: 'Lindqvist',
  business_name: 'Harbour Bread & Co',
  email: 'zoe.quist+join@mail.example',
  username: 'zl1985',
}

const meetsSpecRule = (password: string) => fields.password.safeParse(password).success

describe('a password made from the member’s own names', () => {
  test.each([
    ['the last name', 'Lindqvist-1'],
    ['in a different case', 'lindQVIST-1'],
    ['with a year in front', '1985!Lindqvist'],
    ['with punctuation in between', 'Lind_qvist.77'],
    ['with look-alikes', 'L1ndqv1$t-99'],
    ['with an accent that the name does not have', 'Líndqvist-1'],
    ['first and last name', 'Zoe-Lindqvist-1'],
    ['last and first name', 'LindqvistZoë1!'],
    ['a short name twice', 'ZoeZoe-1985'],
    ['the username', 'Zl-1985!!'],
    ['the email', 'Zoe.Quist1'],
    ['a part of the email', 'Quist#2026'],
    ['the business', 'HarbourBread&Co1'],
    ['a word of the business', 'Harbour-2026'],
    ['the name of this site', 'Foyer-2026!'],
    ['the site and the name', 'Foyer4Zoe!Zoe'],
  ])('6.1 %s: %s', (_, password) => expect(passwordProblem(password, zoe)).toBe(personal))

  test.each([
    ['Анна', 'Аnn', 'Анна-1987'],
    ['Łukasz', 'Łoś', 'Łukasz-77'],
    ['Mary Ann', 'O’Hara', 'Mary-1985'],
    ['Mary Ann', 'O’Hara', 'OHara#1985'],
    ['José', 'Núñez', 'Jose-Nunez-1'],
    ['4nna', 'Bell', '4nna-Bell'],
  ])('6.1 in any script or spelling: %s %s, %s', (first_name, last_name, password) =>
    expect(passwordProblem(password, { first_name, last_name })).toBe(personal),
  )

  test('longer names are removed first, so a name inside another name is also found', () =>
    expect(passwordProblem('Annabell-1', { first_name: 'Anna', last_name: 'Annabell' })).toBe(personal))
})

describe('a common password', () => {
  test.each([
    ...['Password-1', 'P@ssw0rd', 'Pa$$w0rd!9', 'Passw0rd2026!', 'pASSWORD1!'],
    ...['Qwerty123!', 'Welcome2026!', 'Summer-2026', 'Admin@123', 'Letmein!1', 'Iloveyou-2', 'Test@1234'],
    ...['Abc@12345', 'Aa@123456', '1qaz@WSX', '1Qaz-2Wsx', 'Abcdef1!', 'Asdf-1234', '2026-Dragon'],
  ])('6.1 %s', (password) => expect(passwordProblem(password, {})).toBe(common))
})

describe('a good password', () => {
  test.each([
    ...['Open-Sesame-7', 'Very-Secret-77', 'Blue-Kettle-42', 'correct Horse 9 battery staple', 'xK9#mP2$vL5n'],
    ...['Tr0ub4dor&3', 'My zoo has 4 Zebras', 'Lindqvists-cat-7', 'Zoe-and-the-9-Boats', 'Passwords are 4 Fools'],
    ...['Zoe-19!Q', 'Zöe-4711', 'Harbour-Lights-7', '密码Aa-12345x', '🦊Fox-jumps-4'],
  ])('6.1 passes: %s', (password) => {
    expect(meetsSpecRule(password)).toBe(true)
    expect(passwordProblem(password, zoe)).toBeUndefined()
  })

  test('6.1 any password from a password manager passes, for any member', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 30 })
    const owners = fc.record({ first_name: name, last_name: name, email: fc.emailAddress(), username: name })
    const character = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&*+-=?@_')
    const generated = fc
      .array(character, { minLength: 12, maxLength: 40 })
      .map((characters) => characters.join(''))
      .filter((password) => meetsSpecRule(password) && password.replace(/\P{L}/gu, '').length > 5)
    fc.assert(
      fc.property(generated, owners, (password, owner) => passwordProblem(password, owner) === undefined),
      { numRuns: 1000 },
    )
  })

  test.each(['1', '0', 'a', '!', 'é', '1a'])('a very long password is checked quickly: %s…', (character) => {
    // Below a second if the time is proportional to the length. Many minutes if it is to its square.
    passwordProblem(character.repeat(1_000_000), { username: 'aaaa', last_name: 'aaaaa' })
  })
})
