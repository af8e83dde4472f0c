import { hash } from 'node:crypto'
import type { Package } from '#contract/api.ts'
import { isLoopback } from '#server/config/rules.ts'
import type { World } from '#server/world/world.ts'
import type { Catalog } from './catalog.ts'
import type { Host } from './host.ts'
import { remember } from './remembered.ts'

/** The pictures of packages, from our own origin: browsers load nothing from the host. */

/** Where they are served. 'assets' is a reserved word, so it can't be a site. */
export const PACKAGE_PICTURES = '/assets/packages'

export type Picture = { type: string; bytes: Buffer; isStandIn?: true }

const TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif', 'image/svg+xml'])
const MAX_BYTES = 1_000_000
const MAX_PICTURES = 60
const DEADLINE_MS = 8_000

/** An SVG may run and load nothing. */
export const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

const standIn: Picture = {
  type: 'image/svg+xml',
  bytes: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 296"><path fill="#8a9a92" fill-opacity=".25" d="M0 0h720v296H0z"/></svg>',
  ),
  isStandIn: true,
}

const nameOf = (image_url: string) => hash('sha256', image_url, 'hex').slice(0, 20)

/** A package with our own address for its picture. */
export const withOurPicture = (offer: Package): Package => ({
  ...offer,
  image_url: `${PACKAGE_PICTURES}/${nameOf(offer.image_url)}`,
})

export function openPictures(world: World, host: Host, catalog: Catalog) {
  const pictures = remember(world, MAX_PICTURES, async (image_url): Promise<Picture> => {
    const url = addressOf(host, image_url)
    if (!url) throw new Error('no address that we load a picture from')
    const { status, type, bytes } = await host.send({
      method: 'GET',
      url,
      fields: {},
      isRepeatable: true,
      deadlineMs: DEADLINE_MS,
    })
    const known = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
    if (status !== 200 || !TYPES.has(known) || bytes.length > MAX_BYTES || !bytes.length)
      throw new Error('not a picture')
    return { type: known, bytes }
  })
  return {
    /** Undefined: the host hasn't named this picture. */
    async find(name: string): Promise<Picture | undefined> {
      const offer = catalog.lastPackages().find(({ image_url }) => nameOf(image_url) === name)
      if (!offer) return undefined
      return pictures.get(offer.image_url).catch(() => standIn)
    },
  }
}

/** On the host itself, or over https and by name: no address of a network behind us. */
export function addressOf(host: Host, image_url: string): URL | undefined {
  const root = host.urlOf('/', true)
  if (!image_url || !URL.canParse(image_url, root)) return undefined
  const url = new URL(image_url, root)
  if (url.origin === root.origin) return url
  const isName = /[a-z]/i.test(url.hostname) && !url.hostname.startsWith('[') && !isLoopback(url.href)
  return url.protocol === 'https:' && isName && !url.username ? url : undefined
}
