import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { consoleCalls } from '#contract/console/console.ts'
import { appliesTo, type PackagePage, type PriceGroup } from '#contract/console/packages.ts'
import { plainDay } from '#contract/days.ts'
import { showAmount } from '#contract/money.ts'
import { addDays, MIN_NOTICE_DAYS, NOTICE_DAYS } from '#contract/renewal.ts'
import { Field } from '#web/form/Field.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { type Api, useConsole } from '../api.ts'
import { useEditForm } from '../editing/useEditForm.tsx'

const { price, renewal_price, applies_to, from_on, reason } = consoleCalls.changePrices.input.shape

const noDay = 'Please choose the day from which current members pay the new price.'
/** Required while its field is on the screen. */
const dayOnScreen = z.optional(
  z.string().check(
    z.minLength(1, noDay),
    z.refine((text) => from_on.safeParse(text).success, 'Please enter a day.'),
  ),
)
const rules = { price, renewal_price, applies_to, from_on: dayOnScreen, reason }

const labels = { price: 'Price today', renewal_price: 'Renewal price' }

type PriceDialogProps = { offer: PackagePage; onClose: () => void; onDone: (page: PackagePage) => void }

/** New prices, for new members only or for everyone, with a preview of their effect before saving. */
export function PriceDialog({ offer, onClose, onDone }: PriceDialogProps) {
  const { api, session } = useConsole()
  const [renewal, setRenewal] = useState(offer.renewal_price ?? '')
  const [isForAll, setForAll] = useState(false)
  const [from, setFrom] = useState('')
  const amount = renewal_price.safeParse(renewal).data ?? ''
  const sum = useMemberPrices(api, offer.product_id, isForAll ? amount : '')
  const { product_id } = offer
  const form = useEditForm({
    rules,
    page: offer,
    shownOf: ({ version, price, renewal_price = '' }) => ({ version, values: { price, renewal_price } }),
    load: () => api.getPackage({ product_id }),
    save: ({ from_on, ...values }, version) =>
      api.changePrices({ product_id, ...values, ...(from_on ? { from_on } : {}), version }),
    onSaved: onDone,
    labels,
    show: (_name, amount) => amount && showAmount(amount),
  })
  return (
    <FormDialog
      title={`Prices of ${offer.name}`}
      text="Everyone who joins from now on pays the new prices."
      form={form}
      submitLabel={isForAll ? submitLabelOf(sum) : 'Change price for new members'}
      onClose={onClose}
    >
      <Field {...form.field('price')} label={labels.price} inputMode="decimal" autoComplete="off" />
      {offer.billing_interval === 'once' ? (
        <>
          <input type="hidden" name="renewal_price" value="" />
          <input type="hidden" name="applies_to" value="new_members" />
        </>
      ) : (
        <>
          <Field
            {...form.field('renewal_price')}
            label={`${labels.renewal_price} a ${offer.billing_interval}`}
            inputMode="decimal"
            autoComplete="off"
            onChange={({ target }) => setRenewal(target.value)}
          />
          <AppliesTo isForAll={isForAll} onChange={setForAll} />
          {isForAll && (
            <>
              <Field
                {...form.field('from_on')}
                label="Current members pay it from"
                type="date"
                hint={`Each gets an email ${MIN_NOTICE_DAYS} to ${NOTICE_DAYS} days before paying more. A lower price applies from the next renewal.`}
                min={addDays(session.today, MIN_NOTICE_DAYS)}
                max={addDays(session.today, NOTICE_DAYS)}
                onChange={({ target }) => setFrom(target.value)}
              />
              {amount && <Effect sum={sum} amount={amount} from={from} />}
            </>
          )}
        </>
      )}
      <Field {...form.field('reason')} label="Reason" hint="For the audit log" autoComplete="off" enterKeyHint="go" />
      {form.questions}
    </FormDialog>
  )
}

const choices = { new_members: 'New members only', all_members: 'Current members too, from a day you choose' }

const AppliesTo = ({ isForAll, onChange }: { isForAll: boolean; onChange: (isForAll: boolean) => void }) => (
  <fieldset className="choices">
    <legend>Who pays the new renewal price</legend>
    {appliesTo.map((value) => (
      <label key={value}>
        <input
          type="radio"
          name="applies_to"
          value={value}
          checked={isForAll === (value === 'all_members')}
          onChange={() => onChange(value === 'all_members')}
        />
        <span>{choices[value]}</span>
      </label>
    ))}
  </fieldset>
)

/** 'Change price and email 68 members' */
export function submitLabelOf({ groups, isComplete }: Pick<Sum, 'groups' | 'isComplete'>): string {
  const emails = groups.reduce((sum, { change, members }) => sum + (change ? members : 0), 0)
  if (!isComplete) return 'Change price and email members'
  if (emails === 0) return 'Change price, no emails'
  return `Change price and email ${emails === 1 ? 'one member' : `${emails.toLocaleString('en-US')} members`}`
}

type EffectProps = { sum: Sum; amount: string; from: string }

const Effect = ({ sum: { groups, unaffected, isComplete, error }, amount, from }: EffectProps) => (
  <div className="effect" role="status" aria-busy={!isComplete || undefined}>
    <p>
      <strong>What this does to members</strong>
    </p>
    <ul>
      {groups.map((group) => (
        <li key={`${group.pays} ${group.announced}`}>{sentenceOf(group, showAmount(amount), from)}</li>
      ))}
      {unaffected > 0 && (
        <li>{people(unaffected)} canceled or on hold: nothing changes until they resume or the hold is released.</li>
      )}
      {isComplete && groups.length + unaffected === 0 && <li>No member has this package.</li>}
    </ul>
    {!isComplete && <p>Counting…</p>}
    {error && <p>{error}</p>}
  </div>
)

const people = (count: number) => (count === 1 ? 'One member' : `${count.toLocaleString('en-US')} members`)

function sentenceOf({ pays, announced, members, change }: PriceGroup, amount: string, from: string): string {
  const told = announced ? ` (${showAmount(announced)} is announced)` : ''
  const now = `${people(members)} paying ${showAmount(pays)}${told}`
  if (!change) return `${now}: nothing changes.`
  if (change === 'next_renewal') return `${now}: ${amount} from the next renewal.`
  return `${now}: ${amount} from the first renewal on or after ${from ? plainDay(from) : 'that day'}.`
}

type Sum = { groups: PriceGroup[]; unaffected: number; isComplete: boolean; error?: string }
const nothingCounted: Sum = { groups: [], unaffected: 0, isComplete: false }
const PAUSE_MS = 300

/** Adds up what the server counts, some thousand members at a time, a moment after the last keystroke. */
function useMemberPrices(api: Api, product_id: number, renewal_price: string): Sum {
  const [sum, setSum] = useState<Sum>(nothingCounted)
  useEffect(() => {
    setSum(nothingCounted)
    if (!renewal_price) return
    let isCurrent = true
    const count = async () => {
      const groups = new Map<string, PriceGroup>()
      let unaffected = 0
      let after: string | undefined
      do {
        const part = await api.getPriceEffect({ product_id, renewal_price, ...(after ? { after } : {}) })
        for (const group of part.groups) {
          const key = `${group.pays} ${group.announced}`
          groups.set(key, { ...group, members: group.members + (groups.get(key)?.members ?? 0) })
        }
        unaffected += part.unaffected
        after = part.next
        if (isCurrent) setSum({ groups: [...groups.values()], unaffected, isComplete: !after })
      } while (after && isCurrent)
    }
    const fail = (cause: unknown) => isCurrent && setSum((last) => ({ ...last, error: errorMessage(cause) }))
    const timer = setTimeout(() => count().catch(fail), PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [api, product_id, renewal_price])
  return sum
}
