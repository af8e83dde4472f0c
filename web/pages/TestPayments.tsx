import { groupCard } from '#contract/card.ts'
import { showAmount } from '#contract/money.ts'
import type { TestPage, TestPayments, TestTransaction } from '#contract/pages.ts'
import { Header } from '#web/Header.tsx'
import { BillingIcon } from '#web/icons.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { TestPages } from './TestPages.tsx'

const states: Record<TestTransaction['state'], { name: string; tone: string }> = {
  held: { name: 'Authorized', tone: '' },
  review: { name: 'Held for review', tone: 'warm' },
  declined: { name: 'Declined', tone: 'dim' },
  captured: { name: 'Captured', tone: '' },
  voided: { name: 'Voided', tone: 'dim' },
  refunded: { name: 'Refunded', tone: 'dim' },
  disputed: { name: 'Disputed', tone: 'warm' },
}

/** The payments in the sandbox, newest first, and the test cards. */
export function TestPaymentsPage({ payments, testPages }: { payments: TestPayments; testPages: TestPage[] }) {
  const { transactions, cards } = payments
  return (
    <div className="page">
      <Header />
      <main className="prose">
        <TestPages current="payments" testPages={testPages} />
        <h1>Test payments</h1>
        <p className="lead">
          No money moves on this site. These are the payments that a real gateway would have authorized and captured.
        </p>
        {transactions ? <Transactions transactions={transactions} /> : <SandboxDown />}
        <section className="call test-cards">
          <h2>Test cards</h2>
          <p>Use any name, any future expiration date and any CVC. All other cards are approved.</p>
          <TestCards cards={cards} />
        </section>
      </main>
    </div>
  )
}

const SandboxDown = () => (
  <div className="entries">
    <Notice tone="alert" title="The sandbox is not responding.">
      <p>It runs as a separate process. Open payments will be settled when it is back.</p>
    </Notice>
  </div>
)

function Transactions({ transactions }: { transactions: TestTransaction[] }) {
  if (!transactions.length)
    return (
      <div className="empty-state">
        <BillingIcon />
        <p>No payments yet. Join with a test card to see the payment here.</p>
      </div>
    )
  return (
    <ol className="entries">
      {transactions.map((transaction) => (
        <li key={transaction.transaction_id}>
          <Transaction {...transaction} />
        </li>
      ))}
    </ol>
  )
}

function Transaction({ transaction_id, reference, amount, state, refunded, is_renewal }: TestTransaction) {
  const { name, tone } = states[state]
  return (
    <article className="entry">
      <header>
        <span className={`chip ${tone}`}>{name}</span>
        {is_renewal && <span className="chip dim">Renewal</span>}
        <strong className="amount">{showAmount(amount)}</strong>
      </header>
      <code>
        <span className="unseen">Reference </span>
        {reference}
      </code>
      {refunded && state === 'captured' && <span className="hint">{showAmount(refunded)} refunded</span>}
      {state === 'review' && (
        <form className="review-actions" method="post" action="/__payments/review">
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
  <div className="table-scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Card</th>
          <th scope="col">What happens</th>
        </tr>
      </thead>
      <tbody>
        {cards.map(({ number, description }) => (
          <tr key={number}>
            <th scope="row">
              <code>{groupCard(number)}</code>
            </th>
            <td>{description}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
