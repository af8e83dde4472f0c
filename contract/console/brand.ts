import * as z from 'zod/mini'
import { formVersion } from './fields.ts'
import type { ConsoleCall } from './permissions.ts'

/** A request has at most 64 kB, and base64 is a third longer. */
export const LOGO_MAX_BYTES = 40_000

export const radii = ['0rem', '0.3125rem', '0.625rem', '1rem'] as const

/** '' stands for what is built in. */
const ownText = (max: number) =>
  z.string('Please enter a text.').check(
    z.overwrite((text) => text.trim().normalize()),
    z.maxLength(max, `Please use at most ${max} characters.`),
    z.refine((text) => !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text), 'Please use a single line of text.'),
  )
const EMAIL = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/

const BrandForm = z.object({
  name: ownText(40),
  accent: ownText(7).check(
    z.overwrite((text) => text.toLowerCase()),
    z.regex(/^(?:#[\da-f]{6})?$/, 'Please enter a color such as #0b5d4a.'),
  ),
  radius: z.enum(radii, 'Please choose the corners.'),
  support: ownText(200).check(
    z.refine(
      (text) => !text || EMAIL.test(text) || (text.startsWith('https://') && URL.canParse(text)),
      'Please enter an email address, or an address that starts with https://.',
    ),
  ),
  email_footer: ownText(300),
  welcome: ownText(200),
})

export const BrandView = z.object({
  ...BrandForm.shape,
  /** Of the form. */
  version: z.string(),
  logo_url: z.optional(z.string()),
  /** What counts where nothing is set. */
  built_in: z.object({ name: z.string(), accent: z.string(), support: z.string() }),
})

/** The name, logo, colors and texts of the site. */
export const consoleBrandCalls = {
  getBrand: {
    method: 'GET',
    path: '/console/brand',
    summary: 'Get the name, logo, colors and texts of the site',
    permission: 'see_brand',
    input: z.object({}),
    output: BrandView,
  },
  changeBrand: {
    method: 'POST',
    path: '/console/brand',
    summary: 'Change the name, colors and texts of the site',
    permission: 'manage_brand',
    needsProof: true,
    input: z.object({ ...BrandForm.shape, version: formVersion }),
    output: BrandView,
  },
  changeLogo: {
    method: 'POST',
    path: '/console/brand/logo',
    summary: 'Replace the logo by an SVG, PNG or JPEG file',
    permission: 'manage_brand',
    needsProof: true,
    input: z.object({
      /** The file in base64. */
      logo: z
        .string('Please choose a file.')
        .check(z.minLength(1, 'Please choose a file.'), z.maxLength(56_000, 'A logo has at most 40 kB.')),
    }),
    output: BrandView,
  },
  removeLogo: {
    method: 'POST',
    path: '/console/brand/logo/remove',
    summary: 'Go back to the built-in logo',
    permission: 'manage_brand',
    needsProof: true,
    input: z.object({}),
    output: BrandView,
  },
} as const satisfies Record<string, ConsoleCall>

export type BrandView = z.infer<typeof BrandView>
export type BrandForm = z.infer<typeof BrandForm>
