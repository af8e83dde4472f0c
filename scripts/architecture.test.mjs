// Keeps the architecture: one place for each outside resource, and no import circles. biome.json restricts imports between folders.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { importCircles, importGraph } from './imports.mjs'

const everywhere = /\.tsx?$/
const browser = /^web\/.*\.tsx?$/
const server = /^server\/.*\.ts$/
const gatewaysAndConfig = /^server\/(gateways\/|config\/)/

// [name, files to check, pattern, files where it is allowed, message]
const restrictions = [
  [
    'settings',
    everywhere,
    /\bprocess\.env\b/,
    /^server\/config\/config\.ts$/,
    'Settings are read and checked once, in server/config/config.ts; take them from there.',
  ],
  [
    'calls from the browser',
    browser,
    /\bfetch\(|\bXMLHttpRequest\b|\bsendBeacon\(/,
    /^web\/network\.ts$/,
    'The browser reaches the server through web/network.ts only; web/api.ts has the calls.',
  ],
  [
    'browser storage',
    browser,
    /\b(local|session)Storage\b|\bindexedDB\b/,
    /^web\/storage\.ts$/,
    'The browser stores data only through web/storage.ts, which decides what must never be stored.',
  ],
  [
    'clock',
    server,
    /\bDate\.now\b|\bnew Date\b(?!\([^)])/,
    /^server\/world\/world\.ts$/,
    'The server takes the time from world.now, so that drills can move it.',
  ],
  [
    'what day it is',
    everywhere,
    /Intl\.DateTimeFormat|\.toLocale(Date|Time)String|Date\([^)]*\)\.toLocale|toISOString\(\)\.(slice\(0, (7|10)\)|split)|\.get(UTC)?(Date|Day|Month|FullYear)\(/,
    /^contract\/(days|renewal|renewal-day|card)\.ts$|^server\/config\/rules\.ts$/,
    'A time becomes a day, or text, in contract/days.ts only: in the operator’s time zone, like the charges.',
  ],
  [
    'clock of the database, in migrations',
    /\.sql$/,
    /\bnow\(\)|\b(current|clock|statement|transaction)_(timestamp|date|time)\b/i,
    /^$/,
    'SQL never reads the clock; the time is a parameter from world.now.',
  ],
  [
    'clock of the database, in queries',
    server,
    /[`'"]now\(\)|\bnow\(\) *[-+] *interval|\b(current|clock|statement|transaction)_(timestamp|date|time)\b/i,
    /^$/,
    'SQL never reads the clock; the time is a parameter from world.now.',
  ],
  [
    'colors and sizes',
    /\.css$/,
    /^(?!\s*@).*(#[\da-f]{3,8}\b|\b(rgb|hsl|hwb|lab|lch|oklab|oklch)a?\(|\b\d*\.?\d+px\b)/i,
    /^web\/style\/(?:(?:office|console)-)?tokens\.css$/,
    'A color or a size is a token: name it in tokens.css.',
  ],
  [
    'vendors',
    everywhere,
    /authorize\.?net|turnstile|hcaptcha|recaptcha/i,
    gatewaysAndConfig,
    'Vendor names stay in server/gateways and server/config; elsewhere say payment, phone, captcha or mail.',
  ],
  [
    'the vendor in the paths of the spec',
    everywhere,
    /twilio/i,
    /^contract\/|^server\/(gateways\/|config\/)/,
    'Twilio is named in server/gateways, in server/config and in the paths of the contract only.',
  ],
]

// Tests may do all of this. web/build.ts does not run in the browser.
const exempt = /\.test\.|^server\/test\/|^web\/build\.ts$/

const files = ['contract', 'server', 'web']
  .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).replaceAll('\\', '/'))
  .filter((file) => !exempt.test(file))

test.each(restrictions)('only in one place: %s', (_name, checkedFiles, pattern, allowed, message) => {
  const violations = files
    .filter((file) => checkedFiles.test(file) && !allowed.test(file))
    .flatMap((file) => linesOf(file).map((line, index) => ({ line, place: `${file}:${index + 1}` })))
    .filter(({ line }) => pattern.test(line))
    .map(({ line, place }) => `${place} ${line.trim()}`)
  expect(violations, message).toEqual([])
})

/**
 * The floors of server/, top to bottom. A folder imports only from floors below its own, types included. Where two features
 * need each other, the shared part moves down or the caller passes it in.
 */
const floors = [
  ...['main', 'dev serve', 'open-world', 'cli', 'site', 'worker', 'provider'],
  ...['office', 'console', 'connect', 'emails', 'enrollment', 'membership', 'members'],
  ...['sponsors', 'payments', 'phone', 'abuse', 'catalog', 'brand', 'funnel', 'events', 'jobs'],
  ...['http', 'world', 'gateways', 'audit', 'security', 'secrets', 'db', 'config'],
  'client log refusal operator-error',
].map((floor) => floor.split(' '))
const roomOf = (file) => /^server\/([\w-]+)(?:\/|\.ts$|\.mjs$)/.exec(file)?.[1]
const floorOf = (room) => floors.findIndex((rooms) => rooms.includes(room))

/** Imports of server/ that do not point downward. */
const upwardImports = (graph) =>
  [...graph]
    .filter(([file]) => roomOf(file) && !exempt.test(file))
    .flatMap(([file, imported]) => imported.map((path) => ({ file, path, from: roomOf(file), to: roomOf(path) })))
    .filter(({ from, to }) => to && from !== to && floorOf(to) <= floorOf(from))
    .map(({ file, path }) => `${file} -> ${path}`)

test('every folder of server/ stands on a floor', () => {
  const rooms = new Set(files.map(roomOf).filter(Boolean))
  expect([...rooms].filter((room) => floorOf(room) < 0)).toEqual([])
  expect(floors.flat().filter((room) => !rooms.has(room))).toEqual([])
})

test('each alias is the folder of its name, as server/main.mjs assumes', () => {
  const { imports } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(Object.values(imports)).toEqual(Object.keys(imports).map((alias) => alias.replace('#', './')))
})

test('imports of server/ point downward', () => {
  expect(upwardImports(importGraph())).toEqual([])
})

test('an upward import is found, and one within a folder is not', () => {
  const graph = new Map([
    ['server/db/db.ts', ['server/config/config.ts', 'server/db/tables.ts', 'server/site/app.ts']],
    ['server/site/app.ts', ['server/db/db.ts']],
  ])
  expect(upwardImports(graph)).toEqual(['server/db/db.ts -> server/site/app.ts'])
})

test('no file imports itself through others, type imports included', () => {
  expect(importCircles(importGraph())).toEqual([])
})

test('an import circle is detected', () => {
  const graph = new Map([
    ['a.ts', ['b.ts', 'd.ts']],
    ['b.ts', ['c.ts']],
    ['c.ts', ['a.ts']],
    ['d.ts', []],
  ])
  expect(importCircles(graph)).toEqual([['a.ts', 'b.ts', 'c.ts']])
})

/** The lines of a file, without comments. */
function linesOf(file) {
  const comment = file.endsWith('.sql') ? /--.*/ : /(?<=^|\s)\/\/.*/
  return readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, (block) => block.replace(/[^\n]/g, ''))
    .split('\n')
    .map((line) => line.replace(comment, ''))
}

/** Each is a product of its own. What they share is in the other folders of web/, which import none of them. */
const products = /^web\/(enroll|office|console)\//
/** The galleries and the files in web/ itself may show more than one product. */
const mayImportProducts = /^web\/(gallery\/|[^/]+$)/

test('wizard, office and console import nothing from each other, and what they share imports none of them', () => {
  const imports = importGraph()
  const unexpected = files
    .filter((file) => file.startsWith('web/') && !mayImportProducts.test(file))
    .flatMap((file) => [...(imports.get(file) ?? []), ...styleImports(file)].map((path) => ({ file, path })))
    .filter(({ file, path }) => products.test(path) && products.exec(path)[1] !== products.exec(file)?.[1])
    .map(({ file, path }) => `${file} -> ${path}`)
  expect(unexpected).toEqual([])
})

const styleImports = (file) =>
  [...readFileSync(file, 'utf8').matchAll(/import [^']*'([.#][^']+\.css)/g)].map(([, path]) =>
    path.startsWith('#') ? path.slice(1) : join(dirname(file), path).replaceAll('\\', '/'),
  )
