// Inlines the styles and the script, so that the page is a single file.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const here = import.meta.dirname
const out = join(here, 'dist')

const [result] = await build({
  root: here,
  logLevel: 'warn',
  publicDir: false,
  build: {
    write: false,
    modulePreload: false,
    rolldownOptions: { input: [join(here, 'page.js'), join(here, '../step/page.css')] },
  },
}).then((results) => [results].flat())

const assetText = (ending) => {
  const file = result.output.find(({ fileName }) => fileName.endsWith(ending))
  return String(file.code ?? file.source).trim()
}
const page = readFileSync(join(here, 'page.html'), 'utf8')
  .replace(/\n\s*/g, '\n')
  .replace('<style></style>', () => `<style>${assetText('.css')}</style>`)
  .replace('<script type="module"></script>', () => `<script type="module">${assetText('.js')}</script>`)

rmSync(out, { recursive: true, force: true })
mkdirSync(out)
cpSync(join(here, 'public'), out, { recursive: true })
writeFileSync(join(out, 'index.html'), page)
