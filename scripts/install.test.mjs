// Commands never change the packages of a site in production.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const forProduction = Object.fromEntries(Object.entries(packages).filter(([path, { dev }]) => path && !dev))

let site
beforeEach(() => {
  site = mkdtempSync(join(tmpdir(), 'foyer-install-'))
  for (const path of ['package.json', 'package-lock.json', 'scripts'])
    cpSync(path, join(site, path), { recursive: true })
  mkdirSync(join(site, 'server/cli'), { recursive: true })
  writeFileSync(join(site, 'server/cli/doctor.ts'), 'console.log("the doctor ran")')
  mkdirSync(join(site, 'bin'))
  writeFileSync(join(site, 'bin/npm'), `#!/bin/sh\ntouch '${site}/npm-was-called'\nexit 1\n`, { mode: 0o755 })
})
afterEach(() => rmSync(site, { recursive: true, force: true }))

/** As npm leaves it: a folder for each package, and a list of them. */
function install(installed) {
  for (const path of ['node_modules', ...Object.keys(installed)]) mkdirSync(join(site, path), { recursive: true })
  writeFileSync(join(site, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }))
}

function run(program, env = {}) {
  const PATH = [join(site, 'bin'), process.env.PATH].join(delimiter)
  const environment = { ...process.env, NODE_ENV: '', npm_lifecycle_event: '', PATH, ...env }
  const { status, stdout, stderr } = spawnSync(process.execPath, program, {
    cwd: site,
    env: environment,
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr, called: existsSync(join(site, 'npm-was-called')) }
}
const doctor = ['scripts/run.mjs', 'doctor']
const contents = () => readdirSync(join(site, 'node_modules')).filter((name) => name !== '.cache')

it.each(['', 'production'])(
  '20.16 after npm prune --omit=dev a command runs, and changes no package (NODE_ENV=%s)',
  (NODE_ENV) => {
    install(forProduction)
    const before = contents()
    expect(run(doctor, { NODE_ENV })).toEqual({ status: 0, output: 'the doctor ran\n', called: false })
    expect(contents()).toEqual(before)
  },
)

it.each([
  ['an older package', '', { ...forProduction, 'node_modules/fastify': { version: '5.0.0' } }],
  ['a missing package', 'production', without('node_modules/fastify')],
  ['no packages', 'production', undefined],
])('20.16 with %s in production, a command says what is missing and how to install it', (_, NODE_ENV, installed) => {
  if (installed) install(installed)
  const { status, output, called } = run(doctor, { NODE_ENV })
  expect({ status, called }).toEqual({ status: 1, called: false })
  expect(output).toMatch(/^node_modules lacks \S+ [^\n]*npm install --no-save --include=dev[^\n]*\n$/)
  if (installed) expect(contents()).toContain('zod')
})

it('20.16 a command for development says so where the packages for it were left out', () => {
  install(forProduction)
  const { status, output, called } = run(['scripts/drill.mjs'])
  expect({ status, called }).toEqual({ status: 1, called: false })
  expect(output).toMatch(/^This command needs the development packages[^\n]*\n$/)
})

it('20.16 a checkout without packages installs them', () => {
  expect(run(doctor)).toMatchObject({ status: 1, called: true })
})

function without(path) {
  const { [path]: _, ...others } = forProduction
  return others
}
