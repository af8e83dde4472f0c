import { expect, it } from 'vitest'
import { describeDevice } from './device.ts'

const chrome = (system: string, more = '') =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36${more}`
const mobileSafari = (system: string, browser: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) ${browser} Mobile/15E148 Safari/604.1`
const iPhone = 'iPhone; CPU iPhone OS 19_1 like Mac OS X'

it.each([
  ['Chrome on Android', chrome('Linux; Android 16; Pixel 9').replace('Safari', 'Mobile Safari')],
  ['Chrome on Windows', chrome('Windows NT 10.0; Win64; x64')],
  ['Edge on Windows', chrome('Windows NT 10.0; Win64; x64', ' Edg/156.0.0.0')],
  ['Opera on a Mac', chrome('Macintosh; Intel Mac OS X 10_15_7', ' OPR/120.0.0.0')],
  ['Chrome on a Chromebook', chrome('X11; CrOS x86_64 14541.0.0')],
  [
    'Samsung Internet on Android',
    chrome('Linux; Android 16; SM-S931B').replace('Chrome', 'SamsungBrowser/28.0 Chrome'),
  ],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'],
  ['Safari on iPhone', mobileSafari(iPhone, 'Version/19.1')],
  ['Chrome on iPhone', mobileSafari(iPhone, 'CriOS/156.0.0.0')],
  ['Firefox on iPad', mobileSafari('iPad; CPU OS 19_1 like Mac OS X', 'FxiOS/145.0')],
  [
    'Safari on a Mac',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Safari/605.1.15',
  ],
  ['Unknown browser', ''],
  ['Unknown browser', 'curl/8.5.0'],
  ['Unknown browser', '<script>alert(1)</script>'],
  ['Unknown browser', 'Chrome/1'],
])('21.3 %s', (device, agent) => expect(describeDevice(agent)).toBe(device))
