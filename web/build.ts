// Builds dist/ from web/: the browser's files, the pages for the server, and what goes into every page's head.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
  'web/(?:api|call|lean-zod|laterIcons|useTimeout|style/addStyles)\\.',
  'web/form/(?:Captcha|CaptchaFrame|VendorCaptcha|solveCaptcha|showPhone)\\.',
  'web/enroll/wizard/(?:rules|reportMessages|otherTabs|useIsMounted)\\.',
  'web/enroll/order/fetchTotal\\.',
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

/**
 * Every import() tries twice. Vite's own code around it, which preloads a chunk's other files, is left out: each of our loads
 * is a single file.
 */
const leanImports: Plugin = {
  name: 'foyer-lean-imports',
  enforce: 'pre',
  load: (id) => (id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load()' : undefined),
  renderChunk: (code) => code.replace(/\bimport(?=\("\.\/[^"]+\.js"\))/g, RETRIED_IMPORT),
}

/** Which settings are best is luck: the names of later files in a script alone make a difference of a hundred bytes. */
const brotliTries = [0, 17].flatMap((block) => [0, 1, 2, 3].map((postfix) => ({ block, postfix })))

await Promise.all(['web', 'render', 'page.json'].map((name) => rm(join(dist, name), { recursive: true, force: true })))
const [browser, early] = await Promise.all([buildBrowser(), buildEarly(), buildPages()])
const head: PageHead = {
  ...browser,
  ...(await buildOffice()),
  ...(await buildConsole()),
  docsScript: await buildDocs(),
  early,
}
await writeFile(join(dist, 'page.json'), JSON.stringify(head))
await compressFiles(join(dist, 'web'), head.script)
await report()

/**
 * The wizard's first script, in one file, and the chunks it loads later. The styles it imports become one sheet that is
 * inlined into the page; later styles are text inside their chunk (web/style/addStyles.ts).
 */
async function buildBrowser() {
  const options = {
    outDir: join(dist, 'web'),
    cssCodeSplit: false,
    modulePreload: false, // each load is a single file
    rolldownOptions: {
      input: main,
      output: { codeSplitting: { groups }, postBanner: COMPILE_EAGERLY },
      onLog: failOnMissingImport,
    },
  }
  const output = await run(options, { plugins: [leanCalls, leanRules, leanImports] })
  const first = output.find((file) => file.type === 'chunk' && file.moduleIds.includes(main))
  if (first?.type !== 'chunk') throw new Error('The build has no script.')
  if (first.imports.length) throw new Error(`The first load must be one file, not also ${first.imports.join(', ')}.`)
  const next = output.find((file) => file.type === 'chunk' && file.name === 'next')
  if (!next) throw new Error('The build has no second script.')
  const known = [first.fileName, next.fileName]
  const shared = output
    .flatMap((file) => (file.type === 'chunk' ? file.imports : []))
    .find((name) => !known.includes(name))
  if (shared) throw new Error(`Two later steps share ${shared}; add its modules to the second script.`)
  return { script: `/${first.fileName}`, next: `/${next.fileName}`, css: brandCss() + (await takeStyles(output)) }
}

/** The office has its own script and styles, so that the wizard's first load stays small. */
async function buildOffice() {
  const output = await run({
    outDir: join(dist, 'web'),
    emptyOutDir: false,
    copyPublicDir: false,
    rolldownOptions: {
      input: { office: join(root, 'web/office/main.tsx') },
      output: { codeSplitting: false, postBanner: COMPILE_EAGERLY },
    },
  })
  return { officeScript: `/${entryOf(output).fileName}`, officeCss: brandCss() + (await takeStyles(output)) }
}

/** The console is for staff: a script and styles of its own. */
async function buildConsole() {
  const output = await run({
    outDir: join(dist, 'web'),
    emptyOutDir: false,
    copyPublicDir: false,
    rolldownOptions: { input: { console: join(root, 'web/console/main.tsx') }, output: { codeSplitting: false } },
  })
  return { consoleScript: `/${entryOf(output).fileName}`, consoleCss: brandCss() + (await takeStyles(output)) }
}

/** The script of the API reference, which works without it. */
async function buildDocs() {
  const options = { outDir: join(dist, 'web'), emptyOutDir: false, copyPublicDir: false }
  return `/${entryOf(await run({ ...options, rolldownOptions: { input: { docs: join(root, 'web/pages/docs/main.ts') } } })).fileName}`
}

function entryOf(output: Output) {
  const entry = output.find((file) => file.type === 'chunk' && file.isEntry)
  if (entry?.type !== 'chunk') throw new Error('The build has no script.')
  return entry
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
  return entryOf(await run({ write: false, copyPublicDir: false, lib })).code.trim()
}

/** The pages as functions for the server: one production file with React included. */
function buildPages() {
  const options = {
    ssr: join(root, 'web/render.tsx'),
    outDir: join(dist, 'render'),
    copyPublicDir: false,
    rolldownOptions: { output: { entryFileNames: 'render.js', codeSplitting: false } },
  }
  return run(options, { ssr: { noExternal: true }, define: { 'process.env.NODE_ENV': '"production"' } })
}

type Output = Rolldown.RolldownOutput['output'][number][]

async function run(options: InlineConfig['build'], more: InlineConfig = {}): Promise<Output> {
  const result = await build({
    root,
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'warn',
    build: { reportCompressedSize: false, ...options },
    ...more,
  })
  const [first] = [result].flat() as Rolldown.RolldownOutput[]
  return first?.output ?? []
}

/** Compresses once here, so that no request has to. The wizard's first script gets the best of several tries. */
async function compressFiles(folder: string, firstScript: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = entries.filter((entry) => entry.isFile() && /\.(js|css|svg|json)$/.test(entry.name))
  await Promise.all(
    texts.map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      const text = await readFile(path)
      await Promise.all([
        brotli(text, path.endsWith(firstScript)).then((bytes) => writeFile(`${path}.br`, bytes)),
        zip(text).then((bytes) => writeFile(`${path}.gz`, bytes)),
      ])
    }),
  )
}

async function brotli(text: Buffer, isTriedOften: boolean): Promise<Buffer> {
  const tries = isTriedOften ? brotliTries : brotliTries.slice(0, 1)
  const results = await Promise.all(
    tries.map(({ block, postfix }) =>
      promisify(brotliCompress)(text, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_LGBLOCK]: block,
          [constants.BROTLI_PARAM_NPOSTFIX]: postfix,
        },
      }),
    ),
  )
  return results.reduce((best, result) => (result.length < best.length ? result : best))
}

function zip(text: string | Buffer) {
  return promisify(gzip)(text, { level: constants.Z_BEST_COMPRESSION })
}

async function report() {
  const script = await readFile(join(dist, 'web', `${head.script}.br`))
  const css = await zip(head.css)
  const kB = (bytes: Buffer) => `${(bytes.length / 1000).toFixed(1)} kB`
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1)
  console.log(
    `Built the pages in ${seconds} s: script ${kB(script)} brotli, styles ${kB(css)} gzip, early ${head.early.length} bytes.`,
  )
}
