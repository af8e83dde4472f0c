import { showAmount, toAmount } from '#contract/money.ts'
import type { Entry } from './ledger.ts'

const MAX_ROWS = 200

const style = `
:root { color-scheme: light dark }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
.scrolls { overflow-x: auto }
table { width: 100%; border-collapse: collapse }
th, td { padding: .4rem 1.2rem .4rem 0; border-bottom: 1px solid #8886; text-align: start; white-space: nowrap }
dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem }
dd { margin: 0; font-size: 1.5rem; font-weight: bold }
form { display: inline }
.amount { text-align: end }
`

/** The sandbox's transactions, newest first. */
export function ledgerPage(entries: Entry[]): string {
  const newest = entries.slice(-MAX_ROWS).reverse()
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payment sandbox</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Payment sandbox</h1>
<p>No money moves here. This is the ledger of a simulated payment gateway.</p>
<dl>${totalsOf(entries)
    .map(([name, cents]) => `<div><dt>${name}</dt><dd>${money(cents)}</dd></div>`)
    .join('')}</dl>
${newest.length ? tableOf(newest) : '<p>No transactions yet.</p>'}
${entries.length > newest.length ? `<p>Showing the newest ${newest.length} of ${entries.length}.</p>` : ''}
</main>
</body>
</html>
`
}

const tableOf = (entries: Entry[]) => `<div class="scrolls" role="region" aria-label="Ledger" tabindex="0"><table>
<thead><tr><th>Time</th><th>Reference</th><th class="amount">Amount</th><th>State</th><th>Decide</th></tr></thead>
<tbody>
${entries.map(rowOf).join('\n')}
</tbody>
</table></div>`

const rowOf = ({ at, reference, amount_cents, state, transaction_id, is_renewal }: Entry) =>
  `<tr><td><time>${escapeHtml(at.slice(0, 19).replace('T', ' '))} UTC</time></td><td><code>${escapeHtml(reference)}</code></td>` +
  `<td class="amount">${money(amount_cents)}</td><td>${is_renewal ? 'renewal, ' : ''}${state}</td>` +
  `<td>${state === 'review' ? verdictForm(transaction_id) : ''}</td></tr>`

const verdictForm = (transaction_id: string) => `<form method="post" action="/review">
<input type="hidden" name="transaction_id" value="${escapeHtml(transaction_id)}">
<button name="verdict" value="approve">Approve</button>
<button name="verdict" value="decline">Decline</button>
</form>`

function totalsOf(entries: Entry[]): [string, number][] {
  const sum = (cents: (entry: Entry) => number) => entries.reduce((total, entry) => total + cents(entry), 0)
  const amountIn =
    (...states: Entry['state'][]) =>
    ({ state, amount_cents }: Entry) =>
      states.includes(state) ? amount_cents : 0
  return [
    ['Held', sum(amountIn('held', 'review'))],
    ['Captured', sum(amountIn('captured', 'refunded', 'disputed'))],
    ['Refunded', sum(refundedCents)],
    ['Disputed', sum(amountIn('disputed'))],
  ]
}

/** A refund before settlement voids the transaction; its money never counted as captured. */
const refundedCents = ({ state, refunded_cents = 0, amount_cents }: Entry) =>
  state === 'voided' ? 0 : state === 'refunded' ? refunded_cents || amount_cents : refunded_cents

const money = (cents: number) => showAmount(toAmount(cents))

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
