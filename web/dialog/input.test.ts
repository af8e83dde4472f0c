import { describe, expect, test } from 'vitest'
import { type InputType, inputError } from './input.ts'

describe('25.12 the text field of a dialog', () => {
  test.each<[InputType, string, string | undefined]>([
    ['text', '', undefined],
    ['text', 'anything at all', undefined],
    ['email', 'ana@example.com', undefined],
    ['email', "o'neil.first+tag_1-x@sub.example-site.co", undefined],
    ['email', '', 'Invalid email address'],
    ['email', 'ana', 'Invalid email address'],
    ['email', 'ana@example', 'Invalid email address'],
    ['email', 'ana@@example.com', 'Invalid email address'],
    ['email', 'ana ruiz@example.com', 'Invalid email address'],
    ['email', 'ana@example.com\nbob@example.com', 'Invalid email address'],
    ['url', 'https://example.com', undefined],
    ['url', 'http://www.example.com/a/b?c=d&e=f#g', undefined],
    ['url', 'https://sub.example.co.uk:8443/~ana', undefined],
    ['url', '', 'Invalid URL'],
    ['url', 'example.com', 'Invalid URL'],
    ['url', 'ftp://example.com', 'Invalid URL'],
    ['url', 'https://localhost', 'Invalid URL'],
    ['url', 'javascript:alert(1)//https://example.com', 'Invalid URL'],
    ['url', 'https://example.com/a b', 'Invalid URL'],
  ])('of type %s with %j reports %s', (type, value, message) => expect(inputError(type, value)).toBe(message))

  test('a hostile value is checked in reasonable time', () => {
    expect(inputError('url', `https://${'a.'.repeat(50_000)}`)).toBe('Invalid URL')
    expect(inputError('email', `${'a'.repeat(100_000)}@`)).toBe('Invalid email address')
  })
})
