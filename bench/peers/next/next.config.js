import { join } from 'node:path'

/** Default settings. The root is set because node_modules is one folder above. */
export default { turbopack: { root: join(import.meta.dirname, '..') } }
