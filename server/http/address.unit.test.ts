import { describe, expect, test } from 'vitest'
import { limitKeys } from './address.ts'

const visitorKey = (address: string) => limitKeys(address)[0]
const visitorKeys = (addresses: string[]) => new Set(addresses.map(visitorKey))

describe('6.4 limits count', () => {
  test.each([
    ['203.0.113.7', ['203.0.113.7']],
    ['::ffff:203.0.113.7', ['203.0.113.7']],
    ['2001:db8:1:2::1', ['2001:db8:1:2', '2001:db8:1']],
    ['2001:db8::1', ['2001:db8:0:0', '2001:db8:0']],
  ])('6.4 %s by %j', (address, keys) => expect(limitKeys(address)).toEqual(keys))
})

describe('one visitor', () => {
  test('is one IPv4 address', () => {
    expect(visitorKey('203.0.113.7')).toBe('203.0.113.7')
    expect(visitorKeys(['203.0.113.7', '203.0.113.8']).size).toBe(2)
  })

  test.each(['::ffff:203.0.113.7', '::FFFF:203.0.113.7'])('is the same one in a mapped address: %s', (address) =>
    expect(visitorKey(address)).toBe('203.0.113.7'),
  )

  test.each(['::ffff:cb00:7107', '0:0:0:0:0:ffff:203.0.113.7', '0:0:0:0:0:ffff:cb00:7107'])(
    'is the same one in a mapped address: %s',
    (address) => expect(visitorKey(address)).toBe('203.0.113.7'),
  )

  test('is the /64 of an IPv6 address, however it is written', () =>
    expect(
      visitorKeys([
        '2001:db8:1:2::1',
        '2001:db8:1:2::',
        '2001:0db8:0001:0002:0000:0000:0000:0001',
        '2001:DB8:1:2:3:4:5:6',
        '2001:db8:1:2:ffff:ffff:ffff:ffff',
        '2001:db8:1:2::203.0.113.7',
        '2001:db8:1:2::1%eth0',
      ]),
    ).toEqual(new Set(['2001:db8:1:2'])))

  test.each([
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:0:0:1::2', '2001:db8:0:0'],
    ['2001::7:1', '2001:0:0:0'],
    ['fe80::1%en0', 'fe80:0:0:0'],
    ['fe80::1%br-lan', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
  ])('%s is %s: omitted zeros count', (address, visitor) => expect(visitorKey(address)).toBe(visitor))

  test.each([
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8:1:2::1]:4711', '2001:db8:1:2'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2'],
    ['[::ffff:203.0.113.7]:4711', '203.0.113.7'],
  ])('is the same one on every connection, even if a proxy adds the port: %s', (address, visitor) =>
    expect(visitorKey(address)).toBe(visitor),
  )

  test('is not the neighbor in the next /64', () =>
    expect(visitorKeys(['2001:db8:1:2::1', '2001:db8:1:3::1']).size).toBe(2))

  test.each(['', 'unknown', '203.0.113', '1'])('is the proxy’s text as it is, if it is not an address: %j', (address) =>
    expect(limitKeys(address)).toEqual([address]),
  )
})
