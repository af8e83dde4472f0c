import { useState } from 'react'
import type { Package } from '#contract/api.ts'
import { showAmount } from '#contract/money.ts'
import { groupOf, groupOfList, type OrderList } from '#contract/packages.ts'
import { stepOf } from '#web/enroll/flow.ts'
import { monthly, packagesIn } from '#web/enroll/wizard/draft.ts'
import { StepForm } from '#web/enroll/wizard/StepForm.tsx'
import type { Wizard } from '#web/enroll/wizard/wizard.ts'
import { useForm } from '#web/form/useForm.ts'
import { ArrowIcon, BoxIcon, CheckIcon } from '#web/icons.tsx'
import { Notice } from '#web/Notice.tsx'

/** What each step says, and what the price of a card means there. */
const words: Record<OrderList, { title: string; lead: string; terms: string }> = {
  product_ids: {
    title: 'Choose your membership',
    lead: 'Each one opens every room. You can change your mind until you pay.',
    terms: `today, then ${monthly} a month`,
  },
  autoship_product_ids: {
    title: 'Anything to go with it?',
    lead: 'Add it to your membership, or go on without. You can change your mind until you pay.',
    terms: 'once',
  },
  special_product_ids: {
    title: 'Something special?',
    lead: 'Offered once, with your membership. You can go on without, and change your mind until you pay.',
    terms: 'once',
  },
}

/** The step on which this list of the order is chosen. */
export const packageStep = (list: OrderList) => (props: { wizard: Wizard }) => <PackageStep {...props} list={list} />

/** A group of packages. Choosing one replaces the earlier choice and is the way forward. */
function PackageStep({ wizard, list }: { wizard: Wizard; list: OrderList }) {
  const { title, lead } = words[list]
  const offered = wizard.start.packages.filter((found) => groupOf(found) === groupOfList[list])
  const [chosen] = packagesIn(list, wizard.draft, wizard.start)
  const refused = wizard.refused?.[list]
  const [asked, setAsked] = useState<string>()
  const form = useForm({
    rules: () => ({}),
    values: {},
    onValid: (_, pressed) => {
      const product_ids = pressed?.getAttribute('value') ?? ''
      setAsked(product_ids)
      return wizard.choose(list, product_ids)
    },
  })
  return (
    <StepForm
      wizard={wizard}
      step={stepOf[list]}
      form={{ ...form, busy: form.busy && asked === '' }}
      title={title}
      lead={offered.length ? lead : 'This shelf is empty today.'}
    >
      {refused && (
        <Notice key={wizard.moves} tone="alert" role="alert" title={refused[0]}>
          Nothing was charged, and what you entered is still here.
        </Notice>
      )}
      {offered.length ? (
        <ul className="packages">
          {offered.map((found) => (
            <li key={found.product_id}>
              <PackageCard
                found={found}
                list={list}
                chosen={found === chosen}
                busy={form.busy && asked === String(found.product_id)}
              />
            </li>
          ))}
        </ul>
      ) : (
        <NothingHere optional={list !== 'product_ids'} />
      )}
    </StepForm>
  )
}

/** A shelf without packages. One that may be left without a choice is no reason to stop. */
const NothingHere = ({ optional }: { optional: boolean }) => (
  <div className="nothing">
    <BoxIcon />
    <h2>There is nothing to {optional ? 'add' : 'choose from'} at the moment.</h2>
    {optional ? (
      <p>Your membership is complete as it is.</p>
    ) : (
      <p>
        Please come back a little later, or <a href="?">load the page again</a>.
      </p>
    )}
  </div>
)

type PackageCardProps = { found: Package; list: OrderList; chosen: boolean; busy: boolean }

function PackageCard({ found, list, chosen, busy }: PackageCardProps) {
  return (
    <button
      type="submit"
      className="package"
      name={list}
      value={found.product_id}
      aria-pressed={chosen}
      aria-busy={busy || undefined}
    >
      <img src={found.image_url} alt="" width="720" height="296" />
      <span className="package-text">
        <span className="package-name">{found.name}</span>
        <span className="package-description">{found.description}</span>
        <span className="package-foot">
          <span className="package-price">
            {`${showAmount(found.price)} `}
            <small>{words[list].terms}</small>
          </span>
          <span className="package-choose">
            {chosen ? 'Chosen' : 'Choose'}
            {chosen ? <CheckIcon /> : <ArrowIcon />}
          </span>
        </span>
      </span>
    </button>
  )
}
