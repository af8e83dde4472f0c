import { expect, test } from 'vitest'
import { suggestEmail } from './suggestEmail.ts'

test.each([
  ['zoe@gmial.con', 'zoe@gmail.com'],
  ['Zoe@GMAL.com', 'zoe@gmail.com'],
  ['zoe@gmail.co', 'zoe@gmail.com'],
  ['zoe@yaho.com', 'zoe@yahoo.com'],
  ['zoe@hotmial.com', 'zoe@hotmail.com'],
  ['zoe@outlok.com', 'zoe@outlook.com'],
  ['zoe@iclould.com', 'zoe@icloud.com'],
  ['zoe@gmail.com', undefined],
  ['zoe@mail.com', undefined],
  ['zoe@ymail.com', undefined],
  ['zoe@mail.example', undefined],
  ['zoe@paper.com', undefined],
  ['zoe@yahoo.co.uk', undefined],
  ['zoe', undefined],
  ['', undefined],
])('11.8 %s suggests %s', (email, suggestion) => expect(suggestEmail(email)).toBe(suggestion))
