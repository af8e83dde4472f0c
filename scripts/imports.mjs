// The import graph, read from the source text: static, type-only and dynamic imports.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

const gitArguments = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mjs']
const IMPORT = /(?:\bfrom|\bimport\(|^import)\s*'((?:\.|#)[^'?]+)/gm

/** Every source file with the files it imports. */
export function importGraph() {
  const files = execFileSync('git', gitArguments, { encoding: 'utf8' }).trim().split('\n').filter(existsSync)
  return new Map(
    files.map((file) => {
      const specifiers = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, specifier]) => specifier)
      return [file, specifiers.map((specifier) => resolve(file, specifier)).filter((path) => files.includes(path))]
    }),
  )
}

const resolve = (file, specifier) =>
  specifier.startsWith('#') ? specifier.slice(1) : posix.join(posix.dirname(file), specifier)

/** Groups of files that import each other, directly or through others (Tarjan's algorithm). */
export function importCircles(graph) {
  const order = new Map()
  const lowest = new Map()
  const stack = []
  const circles = []
  const visit = (file) => {
    order.set(file, order.size)
    lowest.set(file, order.get(file))
    stack.push(file)
    for (const imported of graph.get(file) ?? []) {
      if (!order.has(imported)) visit(imported)
      if (stack.includes(imported)) lowest.set(file, Math.min(lowest.get(file), lowest.get(imported)))
    }
    if (lowest.get(file) !== order.get(file)) return
    const circle = stack.splice(stack.indexOf(file))
    if (circle.length > 1 || graph.get(file)?.includes(file)) circles.push(circle.sort())
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return circles
}
