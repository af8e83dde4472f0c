import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { plantInProfile } from './browser-visits.ts'
import type { Finding, SearchArea } from './byte-search.ts'
import { fragmentExamples } from './cvc-fragments.ts'
import { type EncodedSecret, encodingsOf } from './encodings.ts'
import type { SqlClient } from './searched-site.ts'
import type { TestCard } from './test-cards.ts'

/** A secret that the drill put into an area and that the search must find there. */
export type PlantedSecret = EncodedSecret & { area: string }

const secretsToPlant = (card: TestCard) => [...encodingsOf(card), ...fragmentExamples(card)]
const planted = (area: string, encodings: EncodedSecret[]): PlantedSecret[] =>
  encodings.map((encoding) => ({ ...encoding, area }))

/** Appends every encoding as a line to the area's file or to a new one. */
export async function plantLines(area: SearchArea, card: TestCard): Promise<PlantedSecret[]> {
  const encodings = secretsToPlant(card)
  const lines = encodings.flatMap(({ bytes }) => [bytes, Buffer.from('\n')])
  await mkdir(area.folder, { recursive: true })
  await appendFile(join(area.folder, area.plantIn ?? 'planted'), Buffer.concat([Buffer.from('\n'), ...lines]))
  return planted(area.name, encodings)
}

/** Inserts every encoding as a row. It must be found in the table's file, in the WAL and, if JSON does not escape it, in the dump. */
export async function plantRows({ query }: SqlClient, card: TestCard): Promise<PlantedSecret[]> {
  const encodings = secretsToPlant(card)
  await query('create table planted (written text, bytes bytea)')
  for (const { bytes } of [...encodings, ...encodings]) // twice, because a WAL page may end inside one of them
    await query('insert into planted values ($1, $2)', [isPlain(bytes) ? bytes.toString('latin1') : null, bytes])
  await query('checkpoint')
  return [
    ...planted('tables', encodings),
    ...planted('WAL', encodings),
    ...planted(
      'dump',
      encodings.filter(({ bytes }) => isPlain(bytes)),
    ),
  ]
}

const isPlain = (bytes: Buffer) => /^[ !#-[\]-~]*$/.test(bytes.toString('latin1'))

/** Writes every encoding to the local storage of a browser. */
export async function plantInBrowser(
  area: SearchArea,
  where: Parameters<typeof plantInProfile>[0],
  card: TestCard,
): Promise<PlantedSecret[]> {
  const encodings = secretsToPlant(card)
  await plantInProfile(
    where,
    encodings.map(({ bytes }) => bytes.toString('latin1')),
  )
  return planted(area.name, encodings)
}

/** Planted secrets that the search did not find. */
export const missedSecrets = (planted: PlantedSecret[], findings: Finding[]): PlantedSecret[] => {
  const foundKeys = new Set(findings.map(({ area, card, encoding }) => `${area} ${card.index} ${encoding}`))
  return planted.filter(({ area, card, encoding }) => !foundKeys.has(`${area} ${card.index} ${encoding}`))
}
