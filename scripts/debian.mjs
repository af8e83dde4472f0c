import { existsSync } from 'node:fs'
import { run } from './prepare.mjs'

/** On Debian, as root, fetches packages; what they have started by themselves is stopped. Tells whether it could. */
export async function fetchPackages(names) {
  const may = process.getuid?.() === 0 && existsSync('/etc/debian_version')
  if (!may || !names.length) return may
  console.log(`\nInstalling ${names.join(' and ')} …`)
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await run('apt-get', ['-qq', 'update'], { env })
  await run('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', ...names], { env })
  for (const name of names) if (existsSync(`/etc/init.d/${name}`)) await run('service', [name, 'stop'])
  return may
}
