import { useState } from 'react'
import { consoleCalls } from '#contract/console/console.ts'
import type { MemberPage } from '#contract/console/member-page.ts'
import { plainDay } from '#contract/days.ts'
import { MAX_FREE_DAYS, movedRenewal } from '#contract/renewal-day.ts'
import { Checkbox } from '#web/form/Checkbox.tsx'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { useCallForm } from '#web/ui/CallForm.tsx'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { useConsole } from '../api.ts'

const { day_of_month, may_exceed, reason } = consoleCalls.moveRenewalDay.input.shape

type DialogProps = {
  member: MemberPage
  onClose: () => void
  onDone: (member: MemberPage, message: string) => void
}

/** Shows the next renewal before it is saved. The server refuses if it would be another one. */
export function RenewalDayDialog({ member, onClose, onDone }: DialogProps) {
  const { api, session } = useConsole()
  const { period, day_of_month: current, waived, may_move_day } = member.membership
  const [day, setDay] = useState(String(current === 1 ? 15 : 1))
  const ends_on = period?.ends_on ?? ''
  const { paid_until = ends_on, free_days_given = 0 } = may_move_day ?? {}
  const { starts_on: shown_on, free_days } = movedRenewal({ paid_until, today: session.today }, Number(day))
  const inYear = free_days_given + free_days
  const form = useCallForm({
    rules: { day_of_month, may_exceed, reason },
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
        {waived && ' and is waived'}. {freeDaysText(paid_until, free_days)}
        {free_days_given > 0 && ` This member already got ${plural(free_days_given)} in the past 12 months.`}
      </p>
      {inYear > MAX_FREE_DAYS && (
        <Checkbox {...form.field('may_exceed')}>
          <label htmlFor="may_exceed">
            Give {plural(inYear)} in 12 months. The limit is {MAX_FREE_DAYS}.
          </label>
        </Checkbox>
      )}
      <Field {...form.field('reason')} label="Reason" hint="For the audit log" autoComplete="off" enterKeyHint="go" />
    </FormDialog>
  )
}

const plural = (days: number) => (days === 1 ? '1 free day' : `${days} free days`)

const freeDaysText = (paid_until: string, days: number) =>
  days ? `Paid until ${plainDay(paid_until)}, then ${plural(days)}.` : 'No free days.'
