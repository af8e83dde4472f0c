import { isPhoneLength, joinPhone, phoneDigits } from '#contract/phone.ts'

/** Country, dial code and, after a dash, the digits that set it apart from others with the same code. If two countries
 * share even those, the first one wins unless the other was chosen. */
const table =
  'US1 CA1 AF93 AL355 DZ213 AS1-684 AD376 AO244 AI1-264 AG1-268 AR54 AM374 AW297 AU61 AT43 AZ994 BS1-242 BH973 ' +
  'BD880 BB1-246 BY375 BE32 BZ501 BJ229 BM1-441 BT975 BO591 BA387 BW267 BR55 IO246 VG1-284 BN673 BG359 BF226 BI257 ' +
  'KH855 CM237 CV238 CW599 BQ599 KY1-345 CF236 TD235 CL56 CN86 CX61 CC61 CO57 KM269 CD243 CG242 CK682 CR506 CI225 ' +
  'HR385 CU53 CY357 CZ420 DK45 DJ253 DM1-767 DO1-809 EC593 EG20 SV503 GQ240 ER291 EE372 SZ268 ET251 FK500 FO298 ' +
  'FJ679 FI358 AX358-18 FR33 GF594 PF689 GA241 GM220 GE995 DE49 GH233 GI350 GR30 GL299 GD1-473 GP590 BL590 MF590 ' +
  'GU1-671 GT502 GB44 GG44-1481 JE44-1534 IM44-1624 GN224 GW245 GY592 HT509 HN504 HK852 HU36 IS354 IN91 ID62 IR98 ' +
  'IQ964 IE353 IL972 IT39 VA39 JM1-876 JP81 JO962 KZ7-7 KE254 KI686 XK383 KW965 KG996 LA856 LV371 LB961 LS266 ' +
  'LR231 LY218 LI423 LT370 LU352 MO853 MG261 MW265 MY60 MV960 ML223 MT356 MH692 MQ596 MR222 MU230 RE262 YT262-269 ' +
  'MX52 FM691 MD373 MC377 MN976 ME382 MS1-664 MA212 EH212 MZ258 MM95 NA264 NR674 NP977 NL31 NC687 NZ64 NI505 NE227 ' +
  'NG234 NU683 NF672 KP850 MK389 MP1-670 NO47 SJ47-79 OM968 PK92 PW680 PS970 PA507 PG675 PY595 PE51 PH63 PL48 ' +
  'PT351 PR1-787 QA974 RO40 RU7 RW250 WS685 SM378 ST239 SA966 SN221 RS381 SC248 SL232 SG65 SX1-721 SK421 SI386 ' +
  'SB677 SO252 ZA27 KR82 SS211 ES34 LK94 SH290 TA290 AC247 KN1-869 LC1-758 PM508 VC1-784 SD249 SR597 SE46 CH41 SY963 ' +
  'TW886 TJ992 TZ255 TH66 TL670 TG228 TK690 TO676 TT1-868 TN216 TR90 TM993 TC1-649 TV688 UG256 UA380 AE971 UY598 ' +
  'VI1-340 UZ998 VU678 VE58 VN84 WF681 YE967 ZM260 ZW263'

type DialEntry = { country: string; dialCode: string; prefix: string }

const entries: DialEntry[] = table.split(' ').map((entry) => {
  const [dialCode = '', more = ''] = entry.slice(2).split('-')
  return { country: entry.slice(0, 2), dialCode, prefix: dialCode + more }
})

const DEFAULT_DIAL_CODE = '1'

/** 'DE' → '49'; '1' for an unknown country. */
export const dialCodeOf = (code: string): string =>
  entries.find(({ country }) => country === code)?.dialCode ?? DEFAULT_DIAL_CODE

/** '+12025550123' → '(202) 555-0123': the part after the dial code, grouped for North America. */
export function nationalNumber(number: string, country: string): string {
  const dialCode = dialCodeOf(country)
  const rest = number.slice(1 + dialCode.length)
  return dialCode === DEFAULT_DIAL_CODE ? rest.replace(/^(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3') : rest
}

/**
 * Which country a typed number belongs to, and how the field shows it: without its dial code, and grouped if we know how. A
 * number that would be too short alone keeps its dial code, as it is valid only as a whole.
 */
export function readPhone(typed: string, chosenCountry: string): { country: string; shown: string } {
  const digits = phoneDigits(typed)
  const number = joinPhone(dialCodeOf(chosenCountry), typed)
  const hasDialCode = /^(?:\+|00)/.test(digits)
  const ownCountry = hasDialCode ? countryOf(number, chosenCountry) : undefined
  const country = ownCountry ?? chosenCountry
  const rest = nationalNumber(number, country)
  const isBetter = ownCountry ? isPhoneLength(phoneDigits(rest)) : !hasDialCode && rest.startsWith('(')
  return { country, shown: isBetter ? rest : typed }
}

export const isDialCountry = (code: string): boolean => entries.some(({ country }) => country === code)

/** The countries that a number may belong to, by the longest matching prefix. */
export function countriesOf(number: string): string[] {
  const matches = entries.filter(({ prefix }) => number.startsWith(`+${prefix}`))
  const longest = Math.max(...matches.map(({ prefix }) => prefix.length))
  return matches.filter(({ prefix }) => prefix.length === longest).map(({ country }) => country)
}

/** The country of a number that starts with +. Prefers the chosen country if several match. */
export function countryOf(number: string, chosenCountry: string): string | undefined {
  const countries = countriesOf(number)
  return countries.includes(chosenCountry) ? chosenCountry : countries[0]
}

/** Sorted by name, with labels such as 'United States (+1)'. */
export function countriesByName(): { code: string; label: string }[] {
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  return entries
    .map(({ country, dialCode }) => ({ code: country, label: `${names.of(country) ?? country} (+${dialCode})` }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'))
}
