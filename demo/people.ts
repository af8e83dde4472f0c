import { seededRandom } from '../drill/seeded-random.ts'

const firstNames =
  'Ada Amir Anika Bea Ben Camila Caleb Chloe Dana Diego Dora Elif Emre Esther Fatima Felix Finn Grace Hana Hugo Ines Ivan Jade Jonas June Kai Kofi Lena Leo Lucia Mae Malik Maya Milo Mina Nadia Noah Nora Omar Otis Paula Priya Quinn Rafael Rosa Ruth Samir Selma Silas Sofia Tara Theo Tomas Uma Vera Wes Yara Yusuf Zoe'.split(
    ' ',
  )
const lastNames =
  'Abbott Adeyemi Alvarez Bauer Bennett Brandt Castillo Chen Cole Dalton Demir Diaz Eriksen Farah Flores Ford Garza Gupta Hale Hansen Hoffman Ibrahim Ito Jensen Kaplan Keller Kim Kowalski Lang Larsen Lopez Marsh Mbeki Mendoza Moreau Nakamura Nguyen Novak Okafor Olsen Ortiz Patel Pereira Petrov Quiroga Reyes Rossi Santos Schmidt Silva Stone Tanaka Torres Ueda Vargas Walsh Weber Xu Yilmaz Zimmer'.split(
    ' ',
  )

/** Cities with a post code of theirs. */
const places = [
  ['Reno', 'NV', '89501'],
  ['Portland', 'OR', '97205'],
  ['Austin', 'TX', '78701'],
  ['Madison', 'WI', '53703'],
  ['Savannah', 'GA', '31401'],
  ['Providence', 'RI', '02903'],
  ['Duluth', 'MN', '55802'],
  ['Santa Fe', 'NM', '87501'],
  ['Burlington', 'VT', '05401'],
  ['Tacoma', 'WA', '98402'],
] as const
const streets = ['Main St', 'Oak Ave', 'Harbor Rd', 'Mill Ln', 'Lantern Way', 'Cedar St', 'Pier Ave']

/** Area codes; with 555-0100 to 555-0199 the numbers belong to nobody. */
const areaCodes = ['202', '212', '312', '415', '503', '512', '608', '702', '802', '206']

export type Person = ReturnType<typeof personOf>

/** Somebody who does not exist. The same number is always the same person. */
export function personOf(number: number) {
  const random = seededRandom(7, number)
  const first_name = random.pick(firstNames)
  const last_name = random.pick(lastNames)
  const [city, state, post_code] = random.pick(places)
  const username = `${first_name}${last_name}`.toLowerCase().slice(0, 14) + number
  const line = String(100 + random.below(100)).padStart(4, '0')
  return {
    first_name,
    last_name,
    username,
    email: `${username}@mail.example`,
    mobile_phone: `+1${random.pick(areaCodes)}555${line}`,
    address: `${100 + random.below(900)} ${random.pick(streets)}`,
    city,
    state,
    post_code,
    country: 'US',
    /** A network of their own, so that limits count each person alone. */
    network: `10.${20 + (number >> 8)}.${number & 255}.${1 + random.below(200)}`,
  }
}
