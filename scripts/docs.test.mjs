// What the documents say about the repository is true: paths, commands, settings and tables.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { KEY_PATTERN } from '../contract/connect/keys.ts'
import { settings } from '../server/config/settings.ts'
import { documents, withTables } from './tables.mjs'

const gitArguments = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md']
const files = execFileSync('git', gitArguments, { encoding: 'utf8' }).trim().split('\n').filter(existsSync)
const read = (file) => readFileSync(file, 'utf8')
const find = (pattern) => files.flatMap((file) => [...read(file).matchAll(pattern)].map(([, text]) => ({ file, text })))

it('every file and folder that a document names exists', () => {
  const folders = 'contract|web|server|emulators|e2e|drill|bench|demo|scripts|deploy|docs'
  const named = find(new RegExp(`(?<![\\w./-])((?:${folders})/[\\w@./-]*\\w)(?![\\w*])`, 'g'))
  const made = /^deploy\/(?:\.env|secrets|compose\.override\.yaml)/
  expect(named.filter(({ text }) => !made.test(text) && !existsSync(text))).toEqual([])
})

it('every link between documents leads somewhere, headings included', () => {
  const slug = (heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-')
  const headings = (file) => [...read(file).matchAll(/^#+ (.*)/gm)].map(([, heading]) => slug(heading))
  const isThere = ({ file, text }) => {
    const [path, anchor] = text.split('#')
    const target = path ? join(dirname(file), path) : file
    return existsSync(target) && (!anchor || headings(target).includes(anchor))
  }
  expect(find(/\]\((?!https?:)([^)\s]+)\)/g).filter((link) => !isThere(link))).toEqual([])
})

it('every npm command that a document names exists', () => {
  const { scripts } = JSON.parse(read('package.json'))
  expect(find(/npm run (?:--silent )?([a-z][\w:-]*)/g).filter(({ text }) => !scripts[text])).toEqual([])
})

const commandsIn = (file, text = read(file)) =>
  [...text.matchAll(/npm (?:run (?:--silent )?)?([a-z][\w:-]*)/g)].map(([, name]) => name)

it('every npm command is in the operator’s guide, the README or CONTRIBUTING.md', () => {
  const named = new Set([
    ...commandsIn('docs/guides/operate.md'),
    ...commandsIn('README.md'),
    ...commandsIn('CONTRIBUTING.md'),
  ])
  const { scripts } = JSON.parse(read('package.json'))
  expect(Object.keys(scripts).filter((name) => !named.has(name))).toEqual([])
})

it.each(['db', 'payments', 'staff'])('the operator’s guide has every command of npm run %s', (program) => {
  const [, usage] = /^const USAGE = `([^`]*)`/m.exec(read(`server/cli/${program}.ts`))
  const names = [...usage.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name)
  const guide = [
    ...read('docs/guides/operate.md').matchAll(new RegExp(`npm run ${program} -- ([a-z]+(?:, [a-z]+)*)`, 'g')),
  ]
  const documented = new Set(guide.flatMap(([, list]) => list.split(', ')))
  expect(names.length).toBeGreaterThan(4)
  expect(names.filter((name) => !documented.has(name))).toEqual([])
})

it('the guides have every command of npm run connect', () => {
  const [, usage] = /^const USAGE = `([^`]*)`/m.exec(read('server/cli/connect.ts'))
  const names = [...usage.matchAll(/^ {2}([a-z]+ [a-z]+)/gm)].map(([, name]) => name)
  const guides = ['api', 'webhooks', 'commission'].map((name) => read(`docs/guides/${name}.md`)).join()
  const lists = [...guides.matchAll(/npm run connect -- ([a-z]+) ([a-z]+(?:, [a-z]+)*)/g)]
  const documented = lists.flatMap(([, what, list]) => list.split(', ').map((name) => `${what} ${name}`))
  expect(names.length).toBeGreaterThan(2)
  expect(names.filter((name) => !documented.includes(name))).toEqual([])
})

it('SECURITY.md says how a scanner recognizes an API key', () => {
  expect(read('SECURITY.md')).toContain(`\`${KEY_PATTERN.source}\``)
})

it('ARCHITECTURE.md names every folder of server/', () => {
  const floors = /```\nmain\.mjs ([\s\S]*?)```/.exec(read('docs/ARCHITECTURE.md'))[1]
  const named = [...floors.matchAll(/^(?:[\w.]+\/ )*[\w.]+\//gm)].flatMap(([line]) => line.split(' '))
  const folders = readdirSync('server', { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const names = folders.map(({ name }) => `${name}/`).filter((name) => name !== 'test/')
  expect(named.toSorted()).toEqual(names.toSorted())
})

it('settings.md has every setting, with its default', () => {
  const rows = [...read('docs/guides/settings.md').matchAll(/^\| (`[A-Z_`, ]+) \| (.*?) \| /gm)]
  const documented = rows.flatMap(([, names, defaults]) => {
    const split = names.split(', ')
    const values = defaults.split(', ').length === split.length ? defaults.split(', ') : split.map(() => defaults)
    return split.map((name, index) => [name.replaceAll('`', ''), values[index].replaceAll('`', '')])
  })
  const vendor = /^(?:AUTHORIZENET|TWILIO|CAPTCHA)_/ // named in the row of their vendor
  const expected = Object.entries(settings)
    .filter(([name]) => !vendor.test(name) || documented.some(([row]) => row === name))
    .map(([name, rule]) => [name, rule._zod.def.defaultValue ?? rule._zod.def.in?._zod.def.defaultValue])
  const byName = new Map(documented)
  const wrong = expected.filter(([name, value]) => !byName.has(name) || (value && byName.get(name) !== String(value)))
  expect(wrong.map(([name, value]) => `${name}: ${value}`)).toEqual([])
  expect(documented.map(([name]) => name).filter((name) => !(name in settings))).toEqual([])
})

it.each(documents)('the tables of %s are current (node scripts/tables.mjs)', (file) => {
  expect(read(file)).toBe(withTables(file))
})

const WORD_LIMIT = 40_000

it('all documents together stay short enough to read', () => {
  const count = (file) => read(file).split(/\s+/).filter(Boolean).length
  const words = files.reduce((total, file) => total + count(file), 0)
  expect(words).toBeLessThanOrEqual(WORD_LIMIT)
})
