import { expect, test } from 'vitest'
import { databaseUrl, databaseUrls, isOnThisMachine, verifiesDatabase, withoutPassword } from './database-url.ts'

const TWO = 'postgresql://foyer:hunter2@db1.example:5433,db2.example/foyer?sslmode=verify-full'

test('several hosts become one URL each, in order', () =>
  expect(databaseUrls(TWO)).toEqual([
    'postgresql://foyer:hunter2@db1.example:5433/foyer?sslmode=verify-full',
    'postgresql://foyer:hunter2@db2.example/foyer?sslmode=verify-full',
  ]))

test.each([
  'postgres://foyer@db/foyer',
  'postgres://foyer@localhost/foyer?host=/run/postgresql',
  'postgres://foyer:a,b@db/foyer', // a comma in the password
  'postgres://foyer@db/foyer?options=-csearch_path%3Da,b',
])('%s has one host', (url) => expect(databaseUrls(url)).toEqual([url]))

test('brackets around an address are kept', () =>
  expect(databaseUrls('postgres://foyer@[::1]:5433,[::2]/foyer')).toEqual([
    'postgres://foyer@[::1]:5433/foyer',
    'postgres://foyer@[::2]/foyer',
  ]))

test.each([
  ['mysql://foyer:hunter2@a,b/foyer', 'must be a URL that starts with postgres:// or postgresql://'],
  ['postgres://foyer:hunter2@/foyer', 'must be a URL that starts with postgres:// or postgresql://'],
  ['postgres://foyer:hunter2@a,,b/foyer', 'has a comma without a host beside it'],
  [
    'postgres://foyer:hunter2@a,b:99999/foyer',
    'has a host that cannot be read, number 2: write host1:port1,host2:port2',
  ],
  ['postgres://foyer:hunter2@a,b c/foyer', 'has a host that cannot be read, number 2: write host1:port1,host2:port2'],
  ['postgres://foyer:hunter2@a,b/foyer?host=c', 'names its hosts twice: before the path and in ?host='],
  ['postgres://foyer:hunter2@a,b,a/foyer', 'names a host twice'],
])('%s %s', (url, sentence) => {
  const { error } = databaseUrl.safeParse(url)
  expect(error?.issues.map(({ message }) => message)).toEqual([sentence])
})

test('the hosts and the database are shown, the password is not', () =>
  expect(withoutPassword(TWO)).toBe('db1.example:5433,db2.example/foyer'))

test('one host on another machine is enough to ask for TLS', () => {
  expect(isOnThisMachine('postgres://localhost,127.0.0.1:5433/foyer')).toBe(true)
  expect(isOnThisMachine('postgres://localhost,db.example/foyer')).toBe(false)
  expect(verifiesDatabase(TWO)).toBe(true)
  expect(verifiesDatabase('postgres://a,b/foyer')).toBe(false)
})
