// A bare Node server for the files of a folder, compressed in advance and kept in memory. node serve.js FOLDER PORT
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, relative } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const [folder = '.', port = '0'] = process.argv.slice(2)

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const files = new Map(
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const plain = readFileSync(path)
      const type = types[extname(path)] ?? 'application/octet-stream'
      return [`/${relative(folder, path)}`, { type, plain, br: brotliCompressSync(plain), gzip: gzipSync(plain) }]
    }),
)
files.set('/ana', files.get('/index.html'))

createServer((request, response) => {
  const file = files.get(new URL(request.url, 'http://localhost').pathname)
  if (!file) return response.writeHead(404).end()
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = ['br', 'gzip'].find((name) => new RegExp(`\\b${name}\\b`).test(accepted))
  const bytes = encoding ? file[encoding] : file.plain
  const kept = request.url.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-store'
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': bytes.length,
    'cache-control': kept,
    vary: 'accept-encoding',
    ...(encoding ? { 'content-encoding': encoding } : {}),
  })
  response.end(bytes)
}).listen(Number(port), '127.0.0.1')
