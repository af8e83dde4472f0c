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

const choices: Record<Occasion, string> = { joining: 'When joining', renewal: 'At each renewal' }
const paid = (occasion: Occasion) => choices[occasion].toLowerCase()

export type Volume = PackagePage['volumes'][number]
type VolumesProps = { offer: PackagePage; onChange: (volume: Volume) => void }

/** The volumes of each price for a commission plan. */
export function Volumes({ offer, onChange }: VolumesProps) {
  const { session, may } = useConsole()
  return (
    <Panel title="Volumes">
      <ul className="rows">
        {offer.volumes.map((volume) => {
          const { occasion, price, is_current, business_volume, commissionable_volume, set_at, set_by } = volume
          const name = `${showAmount(price)} ${paid(occasion)}`
          return (
            <li key={name}>
              <div>
                <p>
                  {name} {!is_current && <Chip>earlier price</Chip>}
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
              {may('manage_catalog') && (
                <div className="row-actions">
                  <button type="button" className="link" onClick={() => onChange(volume)}>
                    {set_at ? 'Change' : 'Set'}
                    <span className="unseen"> volumes for {name}</span>
                  </button>
                </div>
              )}
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}

const { occasion, price, business_volume, commissionable_volume } = consoleCalls.setVolumes.input.shape

type DialogProps = { offer: PackagePage; volume: Volume; onClose: () => void; onDone: (page: PackagePage) => void }

/** Filled in for one price, which can be changed to one not used yet. */
export function VolumesDialog({ offer, volume, onClose, onDone }: DialogProps) {
  const { api } = useConsole()
  const { product_id } = offer
  const form = useCallForm({
    rules: { occasion, price, business_volume, commissionable_volume },
    values: {
      occasion: volume.occasion,
      price: volume.price,
      business_volume: volume.business_volume ?? '',
      commissionable_volume: volume.commissionable_volume ?? '',
    },
    send: async (values) => onDone(await api.setVolumes({ product_id, ...values })),
  })
  return (
    <FormDialog
      title={`Volumes for ${offer.name}`}
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
