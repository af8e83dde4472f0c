// Builds dist/ from web/: the browser's files, the pages for the server, and what goes into every page's head.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite'
import { type Call, calls } from '#contract/api.ts'
import { brandCss } from '#contract/brand.ts'
import type { PageHead } from '#contract/pages.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const main = join(root, 'web/main.tsx')
const startedAt = Date.now()

const HASHED_NAME = 'assets/[name]-[hash].js'
const production = { 'process.env.NODE_ENV': '"production"' }

/** Tells the browser to compile every function while the script arrives, instead of one by one when it is called. */
const COMPILE_EAGERLY = '//# allFunctionsCalledOnLoad'

/** Fails the build when a rule uses a part of zod that web/lean-zod.ts does not have. */
const failOnMissingImport = (_level: string, { code, message }: { code?: string | undefined; message: string }) => {
  if (code === 'IMPORT_IS_UNDEFINED') throw new Error(message)
}

/** What comes after the first screen: the second step, the rules, the calls, and all that later steps share. */
const secondScript = [
  'contract/',
  'altcha-lib/',
  'web/(?:api|call|rejected-call|lean-zod|laterIcons|useTimeout|style/addStyles|ui/EmailText)\\.',
  'web/moment/',
  'web/form/(?:dial-codes|Captcha|CaptchaFrame|VendorCaptcha|solveCaptcha|showPhone)\\.',
  'web/enroll/wizard/(?:rules|reportMessages|otherTabs|useIsMounted)\\.',
  'web/enroll/order/fetchTotal\\.',
  'web/enroll/steps/packages/PackageStep\\.',
  'web/enroll/steps/account-creation/AccountCreation\\.',
  'web/enroll/steps/code-verification/phoneStatus\\.',
]

/**
 * `main` is what the first screen needs. With `next` every later step is one file more. Another file that steps share could
 * fail alone, and a browser that remembers this would never load those steps.
 */
const groups = [
  { name: 'main', tags: ['$initial' as const], priority: 2 },
  { name: 'next', test: new RegExp(`/(?:${secondScript.join('|')})`), priority: 1 },
]

/** The browser needs only the method and path of a call: the server validates input and output. */
const leanCalls: Plugin = {
  name: 'foyer-lean-calls',
  enforce: 'pre',
  load: (id) => {
    const lean = Object.entries(calls).map(([name, { method, path, takesIdempotencyKey }]: [string, Call]) => [
      name,
      { method, path, takesIdempotencyKey },
    ])
    return id.endsWith('contract/api.ts')
      ? `export const calls = ${JSON.stringify(Object.fromEntries(lean))}`
      : undefined
  },
}

/** The browser runs the same rules as the server, with a smaller implementation of zod. */
const leanRules: Plugin = {
  name: 'foyer-lean-rules',
  enforce: 'pre',
  resolveId: (id) => (id === 'zod/mini' ? join(root, 'web/lean-zod.ts') : undefined),
}

/** A browser may never try a failed import again, so the second try has another address. */
const RETRIED_IMPORT = '(file => import(file).catch(() => import(file + "?" + Date.now())))'

const retriedImports: Plugin = {
  name: 'foyer-retried-imports',
  renderChunk: (code) => code.replace(/\bimport(?=\("\.\/[^"]+\.js"\))/g, RETRIED_IMPORT),
}

/** Takes React from the wizard's first script (web/react.ts), which whoever has just joined has already loaded. */
const reactFrom = (script: string): Plugin => ({
  name: 'foyer-shared-react',
  enforce: 'pre',
  resolveId: (id) =>
    /^react(?:-dom)?(?:\/|$)/.test(id) ? { id: `./${basename(script)}`, external: 'relative' } : undefined,
})

/** Loads the PDF code from a script of its own, which most visits never need. */
const pdfFrom = (script: string): Plugin => ({
  name: 'foyer-later-pdf',
  enforce: 'pre',
  resolveId: (id) => (id === './makePdf.ts' ? { id: `./${basename(script)}`, external: 'relative' } : undefined),
})

await Promise.all(['web', 'render', 'page.json'].map((name) => rm(join(dist, name), { recursive: true, force: true })))
const [wizard, staff, docs, reopen, pdf, early] = await Promise.all([
  buildWizard(),
  buildPage('console', 'web/console/main.tsx'),
  buildScript('docs', 'web/pages/docs/main.ts'),
  buildScript('reopen', 'web/pages/reopen.ts'),
  buildPdf(),
  buildEarly(),
  buildPages(),
])
const office = await buildPage('office', 'web/office/main.tsx', [
  reactFrom(wizard.script),
  pdfFrom(pdf),
  retriedImports,
])
const head: PageHead = {
  ...wizard,
  officeScript: office.script,
  officeImport: wizard.script,
  officeCss: office.css,
  consoleScript: staff.script,
  consoleCss: staff.css,
  docsScript: docs,
  reopenScript: reopen,
  early,
}
await writeFile(join(dist, 'page.json'), JSON.stringify(head))
await compressFiles(join(dist, 'web'))
await report()

/**
 * The wizard's first script, in one file, and the chunks it loads later. The styles it imports become one sheet that is
 * inlined into the page; later styles are text inside their chunk (web/style/addStyles.ts).
 */
async function buildWizard() {
  const options = {
    copyPublicDir: true,
    cssCodeSplit: false,
    lib: { entry: main, formats: ['es' as const] }, // so Vite adds no code around import(): each load is a single file
    rolldownOptions: {
      preserveEntrySignatures: 'allow-extension' as const,
      output: {
        entryFileNames: HASHED_NAME,
        chunkFileNames: HASHED_NAME,
        minify: true,
        codeSplitting: { groups },
        postBanner: COMPILE_EAGERLY,
      },
      onLog: failOnMissingImport,
    },
  }
  const output = await run(options, { plugins: [leanCalls, leanRules, retriedImports], define: production })
  const chunks = output.filter((file) => file.type === 'chunk')
  const first = chunks.find(({ moduleIds }) => moduleIds.includes(main))
  const next = chunks.find(({ name }) => name === 'next')
  if (!first || !next) throw new Error('The build has no first or second script.')
  if (first.imports.length) throw new Error(`The first load must be one file, not also ${first.imports.join(', ')}.`)
  const shared = chunks
    .flatMap(({ imports }) => imports)
    .find((name) => ![first.fileName, next.fileName].includes(name))
  if (shared) throw new Error(`Two later steps share ${shared}; add its modules to the second script.`)
  return { script: `/${first.fileName}`, next: `/${next.fileName}`, css: brandCss() + (await takeStyles(output)) }
}

/** A page with one script of its own, and its styles. */
async function buildPage(name: string, entry: string, plugins: Plugin[] = []) {
  const output = await run(
    {
      rolldownOptions: {
        input: { [name]: join(root, entry) },
        output: { codeSplitting: false },
      },
    },
    { plugins },
  )
  return { script: entryOf(output), css: brandCss() + (await takeStyles(output)) }
}

/** The script of a page that reads without it. */
async function buildScript(name: string, entry: string) {
  return entryOf(await run({ rolldownOptions: { input: { [name]: join(root, entry) } } }))
}

/** The script that makes PDFs. */
async function buildPdf() {
  const lib = { entry: join(root, 'web/receipt/makePdf.ts'), formats: ['es' as const] }
  return entryOf(await run({ lib, rolldownOptions: { output: { entryFileNames: HASHED_NAME, minify: true } } }))
}

/** The address of the first script. */
function entryOf(output: Output) {
  const entry = output.find((file) => file.type === 'chunk' && file.isEntry)
  if (!entry) throw new Error('The build has no script.')
  return `/${entry.fileName}`
}

/** Returns the style sheet as text and removes its file. */
async function takeStyles(output: Output) {
  const sheet = output.find((file) => file.type === 'asset' && file.fileName.endsWith('.css'))
  if (sheet?.type !== 'asset') throw new Error('The build has no styles.')
  await rm(join(dist, 'web', sheet.fileName))
  return String(sheet.source).trim()
}

/** The script that is inlined into every page. */
async function buildEarly() {
  const lib = { entry: join(root, 'web/early.ts'), formats: ['iife' as const], name: 'early' }
  const [early] = await run({ write: false, lib })
  if (early?.type !== 'chunk') throw new Error('The build has no script.')
  return early.code.trim()
}

/** The pages as functions for the server: one production file with React included. */
function buildPages() {
  const options = {
    ssr: join(root, 'web/render.tsx'),
    outDir: join(dist, 'render'),
    rolldownOptions: { output: { entryFileNames: 'render.js', codeSplitting: false } },
  }
  return run(options, { ssr: { noExternal: true }, define: production })
}

type Output = Rolldown.RolldownOutput['output'][number][]

async function run(options: InlineConfig['build'], more: InlineConfig = {}): Promise<Output> {
  const result = await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'warn',
    build: {
      outDir: join(dist, 'web'),
      emptyOutDir: false,
      copyPublicDir: false,
      reportCompressedSize: false,
      ...options,
    },
    ...more,
  })
  const [first] = [result].flat() as Rolldown.RolldownOutput[]
  return first?.output ?? []
}

/** Compresses once here, so that no request has to. */
async function compressFiles(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = entries.filter((entry) => entry.isFile() && /\.(js|css|svg|json)$/.test(entry.name))
  await Promise.all(
    texts.map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      const text = await readFile(path)
      await Promise.all([
        brotli(text).then((bytes) => writeFile(`${path}.br`, bytes)),
        zip(text).then((bytes) => writeFile(`${path}.gz`, bytes)),
      ])
    }),
  )
}

/** At its best quality, which is Node's default. */
function brotli(text: string | Buffer) {
  return promisify(brotliCompress)(text)
}

function zip(text: string | Buffer) {
  return promisify(gzip)(text, { level: constants.Z_BEST_COMPRESSION })
}

async function report() {
  const kB = (bytes: Buffer) => `${(bytes.length / 1000).toFixed(1)} kB`
  const script = await readFile(join(dist, 'web', `${head.script}.br`))
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  console.log(`Built the pages in ${seconds} s: script ${kB(script)}, styles ${kB(await brotli(head.css))}, in brotli.`)
}
