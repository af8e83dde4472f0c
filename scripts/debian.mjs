import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { run } from './child.mjs'

/** As root on Debian, installs packages and stops the services they start. Returns whether it was allowed to. */
export async function fetchPackages(names) {
  const mayInstall = process.getuid?.() === 0 && existsSync('/etc/debian_version')
  if (!mayInstall || !names.length) return mayInstall
  console.log(`\nInstalling ${names.join(' and ')} …`)
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['-qq', 'update'], { env })
  await run('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', ...names], { env })
  for (const service of servicesOf(names)) await run('service', [service, 'stop'])
  return mayInstall
}

/** `etcd-server` starts `etcd`. */
function servicesOf(names) {
  const files = execFileSync('dpkg-query', ['--listfiles', ...names], { encoding: 'utf8' })
  return [...files.matchAll(/^\/etc\/init\.d\/(.+)$/gm)].map(([, service]) => service)
}
