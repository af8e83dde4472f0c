import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Certificate = { key: string; cert: string }

/** A certificate that signed itself, for names such as 'DNS:localhost' or 'IP:127.0.0.1'. */
export function selfSigned(...names: string[]): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'foyer-tls-'))
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${names.join(',')}`]
    const files = ['-keyout', key, '-out', cert, '-days', '2', '-nodes', '-newkey', 'rsa:2048']
    execFileSync('openssl', ['req', '-x509', ...files, ...subject], { stdio: 'ignore' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
