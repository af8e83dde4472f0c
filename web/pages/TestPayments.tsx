import { groupCard } from '#contract/card.ts'
import { showAmount } from '#contract/money.ts'
import type { TestPayments, TestTransaction } from '#contract/pages.ts'
import { Header } from '#web/Header.tsx'
import { BillingIcon } from '#web/icons.tsx'
import { Notice } from '#web/Notice.tsx'

const states: Record<TestTransaction['state'], { name: string; tone: string }> = {
  held: { name: 'Held', tone: '' },
  review: { name: 'Held for review', tone: 'warm' },
  declined: { name: 'Declined', tone: 'dim' },
  captured: { name: 'Captured', tone: '' },
  voided: { name: 'Voided', tone: 'dim' },
  refunded: { name: 'Refunded', tone: 'dim' },
}

/** What a real payment gateway would have charged, newest first, and the cards to try it with. */
export function TestPaymentsPage({ payments: { transactions, cards } }: { payments: TestPayments }) {
  return (
    <div className="page">
      <Header />
      <main className="reading">
        <h1>Test payments</h1>
        <p className="lead">
          No money moves on this site. These are the payments that a real gateway would have held and captured.
        </p>
        {transactions ? <Transactions transactions={transactions} /> : <Silent />}
        <section className="call test-cards">
          <h2>Test cards</h2>
          <p>Any name, a month to come and any CVC go with them. Every other card is approved.</p>
          <TestCards cards={cards} />
        </section>
      </main>
    </div>
  )
}

const Silent = () => (
  <div className="letters">
    <Notice tone="alert" title="The sandbox does not answer.">
      <p>It runs as a process of its own. What it was asked meanwhile is settled when it is back.</p>
    </Notice>
  </div>
)

function Transactions({ transactions }: { transactions: TestTransaction[] }) {
  if (!transactions.length)
    return (
      <div className="nothing">
        <BillingIcon />
        <p>No payments yet. Join once with a test card, and the payment appears here.</p>
      </div>
    )
  return (
    <ol className="letters">
      {transactions.map((transaction) => (
        <li key={transaction.transaction_id}>
          <Transaction {...transaction} />
        </li>
      ))}
    </ol>
  )
}

function Transaction({ transaction_id, reference, amount, state }: TestTransaction) {
  const { name, tone } = states[state]
  return (
    <article className="letter">
      <header>
        <span className={`chip ${tone}`}>{name}</span>
        <strong className="paid">{showAmount(amount)}</strong>
      </header>
      <code>
        <span className="unseen">Reference </span>
        {reference}
      </code>
      {state === 'review' && (
        <form className="verdict" method="post" action="/__payments/review">
          <input type="hidden" name="transaction_id" value={transaction_id} />
          <button className="button" type="submit" name="verdict" value="approve">
            Approve<span className="unseen"> {reference}</span>
          </button>
          <button className="button quiet" type="submit" name="verdict" value="decline">
            Decline<span className="unseen"> {reference}</span>
          </button>
        </form>
      )}
    </article>
  )
}

const TestCards = ({ cards }: Pick<TestPayments, 'cards'>) => (
  <div className="scrolls">
    <table>
      <thead>
        <tr>
          <th scope="col">Card</th>
          <th scope="col">What happens</th>
        </tr>
      </thead>
      <tbody>
        {cards.map(({ number, happens }) => (
          <tr key={number}>
            <th scope="row">
              <code>{groupCard(number)}</code>
            </th>
            <td>{happens}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
