import { consoleCalls } from '#contract/console/console.ts'
import { billingIntervals, type PackagePage, packageGroups } from '#contract/console/packages.ts'
import { Checkbox } from '#web/form/Checkbox.tsx'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { useConsole } from '../api.ts'
import { useEditForm } from '../editing/useEditForm.tsx'
import { groupTexts } from './groupTexts.ts'

type Props = { onClose: () => void; onDone: (page: PackagePage) => void }
type FieldName = 'name' | 'description' | 'group' | 'ships'
type FieldOf = (name: FieldName) => { name: string; defaultValue: string; error: string | undefined }

const { product_id: _product_id, version: _version, ...editRules } = consoleCalls.editPackage.input.shape

export function AddPackage({ onClose, onDone }: Props) {
  const { api } = useConsole()
  const form = useCallForm({
    rules: consoleCalls.addPackage.input.shape,
    values: {
      group: 'starter',
      ships: '0',
      billing_interval: 'month',
    },
    send: async (values) => onDone(await api.addPackage(values)),
  })
  return (
    <FormDialog
      title="Add a package"
      text="It’s offered immediately. How often it renews can’t be changed later."
      form={form}
      submitLabel="Add"
      onClose={onClose}
    >
      <PackageFields field={form.field} />
      <div className="pair">
        <Field {...form.field('price')} label="Price today" inputMode="decimal" autoComplete="off" />
        <Field {...form.field('renewal_price')} label="Renewal price" inputMode="decimal" autoComplete="off" />
      </div>
      <SelectField
        {...form.field('billing_interval')}
        label="Renews"
        options={billingIntervals.map((value) => ({ value, text: value === 'once' ? 'never' : `every ${value}` }))}
      />
    </FormDialog>
  )
}

export function EditPackage({ offer, onClose, onDone }: Props & { offer: PackagePage }) {
  const { api } = useConsole()
  const { product_id } = offer
  const form = useEditForm({
    rules: editRules,
    page: offer,
    shownOf: (page) => ({ version: page.version, values: formOf(page) }),
    load: () => api.getPackage({ product_id }),
    save: (values, version) => api.editPackage({ product_id, ...values, version }),
    onSaved: onDone,
    labels,
    show: showAnswer,
  })
  return (
    <FormDialog title={`Edit ${offer.name}`} form={form} submitLabel="Save" onClose={onClose}>
      <PackageFields field={form.field} />
      {form.questions}
    </FormDialog>
  )
}

const formOf = ({ name, description, group, ...offer }: PackagePage): Record<FieldName, string> => ({
  name,
  description,
  group,
  ships: offer.ships ? '1' : '0',
})

const labels: Record<FieldName, string> = {
  name: 'Name',
  description: 'Description',
  group: 'List',
  ships: 'Shipped',
}

const showAnswer = (name: string, value: string) => {
  if (name === 'group') return groupTexts[value as PackagePage['group']]
  if (name === 'ships') return value === '1' ? 'yes' : 'no'
  return value
}

const PackageFields = ({ field }: { field: FieldOf }) => (
  <>
    <Field {...field('name')} label={labels.name} autoComplete="off" />
    <Field {...field('description')} label={labels.description} optional autoComplete="off" />
    <SelectField
      {...field('group')}
      label={labels.group}
      options={packageGroups.map((value) => ({ value, text: groupTexts[value] }))}
    />
    <Checkbox {...field('ships')}>
      <label htmlFor="ships">It ships, so the visitor is asked for an address</label>
    </Checkbox>
  </>
)
