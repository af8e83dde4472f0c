import { expect, test } from 'vitest'
import { spell, usernameFrom } from './useUsername.ts'

test.each([
  ['Zoë Müller', 'zoe mueller'],
  ['Zoe\u0308 Mu\u0308ller', 'zoe mueller'],
  ['José Ñandú', 'jose nandu'],
  ['Straße', 'strasse'],
  ['Łukasz Øster', 'lukasz oster'],
  ['anna7', 'anna7'],
  ['李', '李'],
])('11.4 the username of %s is spelled %s', (typed, spelled) => expect(spell(typed)).toBe(spelled))

test.each([
  ['李', '伟', 'Li.Wei@mail.example', 'liwei'],
  ['محمد', 'علي', 'm.ali7@mail.example', 'mali7'],
  ['王', '芳', '芳@mail.example', undefined],
  ['Zoë', 'Müller', 'zoe@mail.example', undefined],
  ['', '', 'x'.repeat(40), 'x'.repeat(30)],
])('11.4 %s %s with %s is proposed the username %s', (first_name, last_name, email, username) =>
  expect(usernameFrom({ first_name, last_name }, email)).toBe(username),
)
