import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { plantInProfile } from './browser-visits.ts'
import type { Finding, Place } from './byte-search.ts'
import { fragmentsOf } from './cvc-fragments.ts'
import { type Form, formsOf } from './encodings.ts'
import type { Books } from './searched-site.ts'
import type { Mark } from './test-cards.ts'

/** A secret that was put somewhere on purpose, and must be found there. */
export type Planted = Form & { place: string }

const formsToPlant = (mark: Mark) => [...formsOf(mark), ...fragmentsOf(mark)]
const planted = (place: string, forms: Form[]): Planted[] => forms.map((form) => ({ ...form, place }))

/** In every form on a line of its own, in the place's own file or in a new one. */
export async function plantLines(place: Place, mark: Mark): Promise<Planted[]> {
  const forms = formsToPlant(mark)
  const lines = forms.flatMap(({ bytes }) => [bytes, Buffer.from('\n')])
  await mkdir(place.folder, { recursive: true })
  await appendFile(join(place.folder, place.plantIn ?? 'planted'), Buffer.concat([Buffer.from('\n'), ...lines]))
  return planted(place.name, forms)
}

/** In every form as a row; it must turn up in the table's file, in the WAL and, where JSON leaves it alone, in a dump. */
export async function plantRows({ ask }: Books, mark: Mark): Promise<Planted[]> {
  const forms = formsToPlant(mark)
  await ask('create table planted (written text, bytes bytea)')
  for (const { bytes } of [...forms, ...forms]) // a page of the WAL may end inside one of the two
    await ask('insert into planted values ($1, $2)', [isPlain(bytes) ? bytes.toString('latin1') : null, bytes])
  await ask('checkpoint')
  return [
    ...planted('tables', forms),
    ...planted('WAL', forms),
    ...planted(
      'dump',
      forms.filter(({ bytes }) => isPlain(bytes)),
    ),
  ]
}

const isPlain = (bytes: Buffer) => /^[ !#-[\]-~]*$/.test(bytes.toString('latin1'))

/** In every form in the local storage of a browser. */
export async function plantInBrowser(
  place: Place,
  where: Parameters<typeof plantInProfile>[0],
  mark: Mark,
): Promise<Planted[]> {
  const forms = formsToPlant(mark)
  await plantInProfile(
    where,
    forms.map(({ bytes }) => bytes.toString('latin1')),
  )
  return planted(place.name, forms)
}

/** Those that the search did not see. */
export const missed = (planted: Planted[], findings: Finding[]): Planted[] => {
  const seen = new Set(findings.map(({ place, mark, form }) => `${place} ${mark.index} ${form}`))
  return planted.filter(({ place, mark, form }) => !seen.has(`${place} ${mark.index} ${form}`))
}
