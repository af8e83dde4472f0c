import { useState } from 'react'
import { consoleCalls } from '#contract/console/console.ts'
import type { MemberPage } from '#contract/console/member-page.ts'
import { plainDay } from '#contract/days.ts'
import { firstDayFrom } from '#contract/renewal-day.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { useConsole } from '../api.ts'

const { day_of_month, reason } = consoleCalls.moveRenewalDay.input.shape

type DialogProps = {
  member: MemberPage
  onClose: () => void
  onDone: (member: MemberPage, message: string) => void
}

/** Shows the next renewal before it is saved. The server refuses if it would be another one. */
export function RenewalDayDialog({ member, onClose, onDone }: DialogProps) {
  const { api } = useConsole()
  const { period, day_of_month: current, waived } = member.membership
  const [day, setDay] = useState(String(current === 1 ? 15 : 1))
  const ends_on = period?.ends_on ?? ''
  const shown_on = firstDayFrom(ends_on, Number(day))
  const freeDays = Math.round((Date.parse(shown_on) - Date.parse(ends_on)) / 86_400_000)
  const form = useCallForm({
    rules: { day_of_month, reason },
    values: { day_of_month: day },
    send: async (values) =>
      onDone(
        await api.moveRenewalDay({ member_id: member.id, shown_on, ...values }),
        `The membership renews on ${plainDay(shown_on)}.`,
      ),
  })
  const days = Array.from({ length: 31 }, (_, index) => String(index + 1)).filter((each) => each !== String(current))
  return (
    <FormDialog
      title="Move the renewal day"
      text={`It renews on day ${current} now, next on ${plainDay(ends_on)}. In a shorter month it’s the last day. ${member.first_name} gets an email.`}
      form={form}
      submitLabel="Move it"
      onClose={onClose}
    >
      <SelectField
        {...form.field('day_of_month')}
        label="New day of the month"
        options={days.map((value) => ({ value, text: value }))}
        onChange={(event) => setDay(event.target.value)}
      />
      <p className="preview" role="status">
        The next period begins on <strong>{plainDay(shown_on)}</strong>
        {waived && ' and is waived'}.{' '}
        {freeDays
          ? `The ${freeDays === 1 ? 'day' : `${freeDays} days`} until then ${freeDays === 1 ? 'is' : 'are'} free.`
          : ''}
      </p>
      <Field {...form.field('reason')} label="Reason" hint="For the audit log" autoComplete="off" enterKeyHint="go" />
    </FormDialog>
  )
}
