import * as z from 'zod/mini'
import { SITE_PATTERN, siteIn } from '#contract/site.ts'

/** Fields that several calls of the console share. */

const NOT_A_DAY = 'Please enter a day.'
const isOnCalendar = (day: string) => {
  const time = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day)
}
/** A calendar day from 1900 to 2199, which every database and time zone can handle. */
export const day = z
  .string(NOT_A_DAY)
  .check(z.regex(/^(?:19|20|21)\d\d-\d\d-\d\d$/, NOT_A_DAY), z.refine(isOnCalendar, NOT_A_DAY))

export const positiveNumber = (message: string) =>
  z.coerce.number(message).check(z.int(message), z.minimum(1, message), z.maximum(2 ** 31 - 1, message))

/** Where the next page of a list begins. */
export const listKey = z.optional(z.string().check(z.maxLength(200, 'This page of the list doesn’t exist.')))

export const BAD_AMOUNT = 'Please enter an amount in dollars, such as 25.00.'
const dollars = (text: string) =>
  text
    .trim()
    .replace(/^\$/, '')
    .replace(/^(\d+)$/, '$1.00')

const BAD_VOLUME = 'Please enter a volume such as 60.00. It can be 0.00.'
/** A price's volume in a commission plan, with two decimals. */
export const volume = z.string(BAD_VOLUME).check(
  z.overwrite((text) => text.trim().replace(/^(\d+)$/, '$1.00')),
  z.regex(/^\d{1,7}\.\d{2}$/, BAD_VOLUME),
)

const dollarsLike = (pattern: RegExp) => z.string(BAD_AMOUNT).check(z.overwrite(dollars), z.regex(pattern, BAD_AMOUNT))

/** '25', '$25' and '25.00' are '25.00'. */
export const dollarAmount = dollarsLike(/^\d{1,7}\.\d{2}$/)
export const optionalDollarAmount = dollarsLike(/^(?:\d{1,7}\.\d{2})?$/)

/** One line of text that someone enters. */
export const textLine = (missing: string, max: number) =>
  z.string(missing).check(
    z.overwrite((text) => text.trim().normalize()),
    z.minLength(1, missing),
    z.maxLength(max, `Please use at most ${max} characters.`),
    z.refine(
      (text) => !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text),
      'Please use only letters, numbers and symbols.',
    ),
  )

/** A sponsor's link as a person writes it: the word, with its slash, or all of it. */
export const sponsorSite = z.string('Please use a sponsor link.').check(
  z.overwrite((text) => siteIn(text).toLowerCase()),
  z.regex(SITE_PATTERN, 'This sponsor link is not valid.'),
)

/** What a form showed when it was opened. If someone else has saved it meanwhile, it's refused. */
export const formVersion = z.string('Please reload the page.').check(z.maxLength(60, 'Please reload the page.'))

/** Why someone does something, for the audit log. */
export const reason = textLine('Please say why.', 300)
