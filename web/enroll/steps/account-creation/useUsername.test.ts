import { expect, test } from 'vitest'
import { spell } from './useUsername.ts'

test.each([
  ['Zoë Müller', 'zoe mueller'],
  ['Zoe\u0308 Mu\u0308ller', 'zoe mueller'],
  ['José Ñandú', 'jose nandu'],
  ['Straße', 'strasse'],
  ['Łukasz Øster', 'lukasz oster'],
  ['anna7', 'anna7'],
  ['李', '李'],
])('11.4 the username of %s is spelled %s', (typed, spelled) => expect(spell(typed)).toBe(spelled))
