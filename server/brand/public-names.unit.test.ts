import { describe, expect, it } from 'vitest'
import { businessNameProblem, type OperatorNames, personNameProblem, publicName } from './public-names.ts'

const ours: OperatorNames = ['Foyer', 'Foyer Membership LLC']
const contact = 'Please enter a name without a phone number, email address or web address.'
const pretends = 'This name could be taken for Foyer itself. Please choose another one.'

describe('company names', () => {
  it.each([
    ...['Call 626 555 0100', 'Ana (626) 555-0100', '+1.626.555.0100', '６２６５５５０１００', 'ana@mail.example'],
    ...['https://evil.example', 'www.evil.example', 'evil.com', 'Join at evil.shop today', 'evil\u200b.com'],
  ])('21.24 %j carries contact data', (name) => expect(businessNameProblem(name, ours)).toBe(contact))

  it.each([
    ...[
      'Foyer',
      'FOYER Inc.',
      'The Foyer Team',
      'F0yer',
      'Fоуеr',
      'Föyer',
      'F\u200boyer',
      'F o y e r',
      'Foyer-Membership',
    ],
    ...[
      'Support',
      'Member Support',
      'Supp0rt',
      'SUPPОRT',
      '5upport',
      'Official',
      '0fficial Site',
      'Offlclal',
      'Off1cial',
    ],
    ...['Admin', '@dmin', 'Adrnin', 'Administrator', 'FoyerSupport', 'SupportTeam', 'official-foyer'],
  ])('21.24 %j pretends to be the operator', (name) => expect(businessNameProblem(name, ours)).toBe(pretends))

  it.each([
    ...[
      '',
      'Bluepier Wellness',
      'Studio 54',
      'Route 66 Fitness',
      'J.P. Morris & Sons',
      'Smith, Jones & Co.',
      'Dr.Smith',
    ],
    ...[
      '24/7 Gym',
      'Supporters Club',
      'Officially Fit',
      'Le Foyerie',
      'Café Ünlü',
      'Новая жизнь',
      '株式会社',
      'Adminton Sports',
    ],
    ...['A B C Plumbing', 'Est. 1987', '4 Ever Young', 'Modern Barn', 'Membership Matters'],
  ])('21.24 %j is a name like any other', (name) => expect(businessNameProblem(name, ours)).toBeUndefined())
})

describe('people’s names', () => {
  it.each([
    ...[
      ['Jean', 'Foyer'],
      ['Anna', 'Support-Lee'],
      ['Mary Ann', 'O’Neil'],
      ['X Æ A-12', 'Musk'],
      ['Ana', 'de la Cruz'],
    ],
    ...[
      ['Юлия', 'Ким'],
      ['李', '小龙'],
      ['Will', 'Service'],
      ['Foyer', 'Foyer'],
    ],
  ])('21.24 %s %s may be called that', (first_name = '', last_name = '') =>
    expect(personNameProblem({ first_name, last_name }, ours)).toBeUndefined(),
  )

  it.each([
    [pretends, 'Foyer', 'Support'],
    [pretends, 'Official', 'F0yer'],
    [pretends, 'Foyer', 'Team'],
    [pretends, 'Admin', 'Admin'],
    [contact, 'Ana', '626-555-0100'],
    [contact, 'evil.com', 'Lee'],
  ])('21.24 %s: %s %s', (problem, first_name, last_name) =>
    expect(personNameProblem({ first_name, last_name }, ours)).toBe(problem),
  )
})

it('21.25 a page shows the company, or the person, or the username', () => {
  const member = { first_name: 'Ana', last_name: 'Lee', business_name: '', username: 'ana' }
  const names = [
    {},
    { business_name: 'Bluepier' },
    { business_name: 'Foyer Support' },
    { business_name: 'evil.com', last_name: '6265550100' },
  ]
  expect(names.map((changes) => publicName({ ...member, ...changes }, ours))).toEqual([
    ...['Ana Lee', 'Bluepier', 'Ana Lee', 'ana'],
  ])
})
