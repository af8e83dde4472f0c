/** Cards that the sandbox knows. */
export const cards = {
  good: '4242424242424242',
  declined: '4000000000000002',
  review: '4000000000009235',
  slow: '4000000000000259',
  answerLost: '4000000000000119',
}
