import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the first of these commands that the machine has. */
export const findCommand = (...names) =>
  names
    .flatMap((name) => process.env.PATH.split(delimiter).map((folder) => join(folder, name)))
    .find((path) => existsSync(path))
