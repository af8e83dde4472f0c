import { type Occasion, occasions } from '#contract/commission.ts'
import { consoleCalls } from '#contract/console/console.ts'
import type { PackagePage } from '#contract/console/packages.ts'
import { showAmount } from '#contract/money.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { useConsole } from '../api.ts'
import { Chip, Panel, showTime } from '../parts.tsx'

const paid: Record<Occasion, string> = { joining: 'today', renewal: 'renewal' }

/** The volumes of each price for a commission plan. */
export function Volumes({ offer, onChange }: { offer: PackagePage; onChange: () => void }) {
  const { session, may } = useConsole()
  return (
    <Panel title="Volumes">
      <ul className="rows">
        {offer.volumes.map(
          ({ occasion, price, is_current, business_volume, commissionable_volume, set_at, set_by }) => (
            <li key={`${occasion} ${price}`}>
              <div>
                <p>
                  {showAmount(price)} {paid[occasion]} {!is_current && <Chip>earlier price</Chip>}
                  {!set_at && <Chip tone="warn">no volumes yet</Chip>}
                </p>
                {set_at && (
                  <>
                    <p>
                      {business_volume} business, {commissionable_volume} commissionable
                    </p>
                    <p className="small">
                      {showTime(set_at, session.time_zone)} · <bdi>{set_by}</bdi>
                    </p>
                  </>
                )}
              </div>
            </li>
          ),
        )}
      </ul>
      {may('manage_catalog') && (
        <button type="button" className="button quiet" onClick={onChange}>
          Set volumes
        </button>
      )}
    </Panel>
  )
}

const { occasion, price, business_volume, commissionable_volume } = consoleCalls.setVolumes.input.shape

type DialogProps = { offer: PackagePage; onClose: () => void; onDone: (page: PackagePage) => void }

/** The first price without volumes is filled in. */
export function VolumesDialog({ offer, onClose, onDone }: DialogProps) {
  const { api } = useConsole()
  const { product_id, volumes } = offer
  const first = volumes.find(({ set_at }) => !set_at) ?? volumes[0]
  const form = useCallForm({
    rules: { occasion, price, business_volume, commissionable_volume },
    values: {
      occasion: first?.occasion ?? 'joining',
      price: first?.price ?? '',
      business_volume: first?.business_volume ?? '',
      commissionable_volume: first?.commissionable_volume ?? '',
    },
    send: async (values) => onDone(await api.setVolumes({ product_id, ...values })),
  })
  return (
    <FormDialog
      title={`Volumes of ${offer.name}`}
      text="They apply to payments from now on. Months that have ended don’t change."
      form={form}
      submitLabel="Set volumes"
      onClose={onClose}
    >
      <SelectField
        {...form.field('occasion')}
        label="Paid"
        options={(offer.renewal_price ? occasions : (['joining'] as const)).map((value) => ({
          value,
          text: choices[value],
        }))}
      />
      <Field {...form.field('price')} label="Price" inputMode="decimal" autoComplete="off" enterKeyHint="next" />
      <Field
        {...form.field('business_volume')}
        label="Business volume"
        inputMode="decimal"
        autoComplete="off"
        enterKeyHint="next"
      />
      <Field
        {...form.field('commissionable_volume')}
        label="Commissionable volume"
        hint="0.00 is allowed"
        inputMode="decimal"
        autoComplete="off"
        enterKeyHint="go"
      />
    </FormDialog>
  )
}

const choices: Record<Occasion, string> = { joining: 'When joining', renewal: 'At each renewal' }
