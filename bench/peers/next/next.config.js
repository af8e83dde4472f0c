import { join } from 'node:path'

/** As it comes; the root is named because the packages lie one folder above. */
export default { turbopack: { root: join(import.meta.dirname, '..') } }
