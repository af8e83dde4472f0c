import { useState } from 'react'
import type { Package } from '#contract/api.ts'
import { showAmount, showPrice } from '#contract/money.ts'
import { canRenewTogether, groupOf, groupOfList, type OrderList } from '#contract/packages.ts'
import { useForm } from '#web/form/useForm.ts'
import { ArrowIcon, BoxIcon, CheckIcon } from '#web/icons.tsx'
import { Notice } from '#web/ui/Notice.tsx'
import { stepOf } from '../../flow.ts'
import { packagesIn } from '../../order/order.ts'
import { defineStep } from '../../wizard/defineStep.tsx'
import { StepForm } from '../../wizard/StepForm.tsx'
import { rejectedFieldsAt, type State } from '../../wizard/state.ts'

const texts: Record<OrderList, { title: string; lead: string }> = {
  product_ids: {
    title: 'Choose your membership',
    lead: 'Every membership includes full access to the office. You can change your choice until you pay.',
  },
  autoship_product_ids: {
    title: 'Would you like to add anything?',
    lead: 'Choose something to add, or continue without it. You can change your choice until you pay.',
  },
  special_product_ids: {
    title: 'Special offer',
    lead: 'This is a one-time offer. Choose something to add, or continue without it. You can change your choice until you pay.',
  },
}

/** In front of an operator's API host, its description says what a membership includes. */
const anyMembership = 'You can change your choice until you pay.'

type PackageStepProps = {
  list: OrderList
  isProvider: boolean
  offers: Package[]
  chosen: Package | undefined
  /** Why the server rejected the last choice. */
  rejection: string | undefined
  /** Changes with every visit, so that the rejection is announced again. */
  moves: number
  /** The packages or the total could not be loaded. */
  isStopped: boolean
  onChoose: (list: OrderList, product_ids: string) => Promise<undefined>
}

/** A group of packages. Choosing one replaces the earlier choice and goes on. */
function PackageStep({ list, isProvider, offers, chosen, rejection, moves, isStopped, onChoose }: PackageStepProps) {
  const { title, lead: usualLead } = texts[list]
  const lead = isProvider && list === 'product_ids' ? anyMembership : usualLead
  const chosenIds = chosen && String(chosen.product_id)
  const [pressedValue, setPressedValue] = useState<string>()
  const form = useForm({
    rules: () => ({}),
    values: {},
    onValid: (_, submitter) => {
      const product_ids = submitter?.getAttribute('value') ?? ''
      setPressedValue(product_ids)
      return onChoose(list, product_ids)
    },
  })
  return (
    <StepForm
      step={stepOf[list]}
      form={{ ...form, busy: form.busy && pressedValue === (chosenIds ?? '') }}
      choice={
        chosenIds && list !== 'product_ids'
          ? { label: 'Keep and continue', value: chosenIds, other: <ContinueWithout isDisabled={isStopped} /> }
          : undefined
      }
      title={title}
      lead={offers.length ? lead : 'There are no packages at the moment.'}
    >
      {rejection && (
        <Notice key={moves} tone="alert" role="alert" title={rejection}>
          You have not been charged. Your details are still filled in.
        </Notice>
      )}
      {offers.length ? (
        <ul className="packages">
          {offers.map((offer) => (
            <li key={offer.product_id}>
              <PackageCard
                offer={offer}
                list={list}
                isChosen={offer === chosen}
                isDisabled={isStopped}
                isBusy={form.busy && pressedValue === String(offer.product_id)}
              />
            </li>
          ))}
        </ul>
      ) : (
        <NoPackages isOptional={list !== 'product_ids'} />
      )}
    </StepForm>
  )
}

const ContinueWithout = ({ isDisabled }: { isDisabled: boolean }) => (
  <button type="submit" className="button quiet" disabled={isDisabled}>
    Continue without
  </button>
)

const NoPackages = ({ isOptional }: { isOptional: boolean }) => (
  <div className="empty-state">
    <BoxIcon />
    <h2>There is nothing to {isOptional ? 'add' : 'choose from'} at the moment.</h2>
    {isOptional ? (
      <p>You can continue without adding anything.</p>
    ) : (
      <p>
        Please come back later, or <a href="?">reload the page</a>.
      </p>
    )}
  </div>
)

type PackageCardProps = { offer: Package; list: OrderList; isChosen: boolean; isDisabled: boolean; isBusy: boolean }

const PackageCard = ({ offer, list, isChosen, isDisabled, isBusy }: PackageCardProps) => (
  <button
    type="submit"
    className="package"
    name={list}
    value={offer.product_id}
    aria-pressed={isChosen}
    aria-busy={isBusy || undefined}
    disabled={isDisabled}
  >
    <img src={offer.image_url} alt="" width="720" height="296" />
    <span className="package-text">
      <span className="package-name">{offer.name}</span>
      <span className="package-description">{offer.description}</span>
      <span className="package-foot">
        <span className="package-price">
          {`${showPrice(offer)} `}
          <small>{termsOf(offer)}</small>
        </span>
        <span className="package-choose">
          {isChosen ? 'Chosen' : 'Choose'}
          {isChosen ? <CheckIcon /> : <ArrowIcon />}
        </span>
      </span>
    </span>
  </button>
)

/** What follows the price. A recurring package says '$24.00 a month'. */
const termsOf = ({ is_recurring, renewal_price, billing_interval }: Package) => {
  if (is_recurring) return ''
  if (billing_interval === 'unknown') return 'today'
  return renewal_price ? `today, then ${showAmount(renewal_price)} a ${billing_interval}` : 'one time'
}

/** What can be added renews as often as the membership. */
function offersFor(list: OrderList, { draft, packages }: State): Package[] {
  const membership = list === 'product_ids' ? [] : packagesIn('product_ids', draft, packages)
  return packages.filter((offer) => groupOf(offer) === groupOfList[list] && canRenewTogether([...membership, offer]))
}

export const packageStep = (list: OrderList) =>
  defineStep(PackageStep, ({ choosePackage, start }, state) => ({
    list,
    isProvider: start.policy.provider === true,
    offers: offersFor(list, state),
    chosen: packagesIn(list, state.draft, state.packages)[0],
    rejection: rejectedFieldsAt(stepOf[list], state)?.[list]?.[0],
    moves: state.moves,
    isStopped: state.stop === 'total-not-loaded',
    onChoose: choosePackage,
  }))
