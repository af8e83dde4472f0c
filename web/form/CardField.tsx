import { type FormEvent, type InputHTMLAttributes, useState } from 'react'
import { type Brand, brandOf, brands, cardDigits, groupCard, otherBrandOf } from '#contract/card.ts'
import { BillingIcon } from '#web/icons.tsx'
import { BrandMark, BrandMarks } from './BrandMark.tsx'
import { controlProps, FieldFrame, type FieldProps } from './Field.tsx'
import { useSecretField } from './useSecretField.ts'

type CardFieldProps = FieldProps &
  Pick<InputHTMLAttributes<HTMLInputElement>, 'enterKeyHint'> & {
    defaultValue: string
    hint: string
    onBrand: (brand: Brand | undefined) => void
  }

/** Groups the digits while they are typed, keeps the caret in place and shows the brand. */
export function CardField({ defaultValue, enterKeyHint, onBrand, hint, ...frame }: CardFieldProps) {
  const fieldProps = { hint, ...frame }
  const [brand, setBrand] = useState(brandOf(defaultValue))
  const [otherBrand, setOtherBrand] = useState(otherBrandOf(defaultValue))
  const refusal = otherBrand && `This looks like a ${otherBrand} card, which we can’t accept.`
  const ref = useSecretField('cc-number')

  const onInput = (event: FormEvent<HTMLInputElement>) => {
    const field = event.currentTarget
    const { isComposing, inputType } = event.nativeEvent as InputEvent
    if (isComposing) return
    const isDelete = inputType === 'deleteContentForward'
    const { value, caret } = groupDigits(field.value, field.selectionStart ?? field.value.length, isDelete)
    if (value !== field.value || isDelete) {
      field.value = value
      if (document.activeElement === field) field.setSelectionRange(caret, caret)
    }
    setOtherBrand(otherBrandOf(value))
    const newBrand = brandOf(value)
    if (newBrand === brand) return
    setBrand(newBrand)
    onBrand(newBrand)
  }

  return (
    <FieldFrame {...fieldProps} hint={refusal ? `${refusal} ${hint}` : hint}>
      <BrandMarks chosen={brand} />
      <div className="card-number">
        <input
          ref={ref}
          className="control"
          type="text"
          inputMode="numeric"
          autoComplete="cc-number"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint={enterKeyHint}
          defaultValue={groupCard(defaultValue)}
          onInput={onInput}
          onCompositionEnd={onInput}
          onBlur={onInput}
          {...controlProps(fieldProps)}
        />
        <span className="card-brand">
          {brand ? <BrandMark brand={brand} /> : <BillingIcon />}
          <span className="unseen" role="status">
            {brand ? brands[brand].name : refusal}
          </span>
        </span>
      </div>
    </FieldFrame>
  )
}

/** The grouped number, and the caret after the same digit as before. Delete moves past a gap, Backspace stops at it. */
export function groupDigits(text: string, caret: number, isDelete = false) {
  const value = groupCard(text)
  const digitsBefore = cardDigits(text.slice(0, caret)).length
  let position = 0
  for (let count = 0; count < digitsBefore && position < value.length; position++)
    if (cardDigits(value[position] ?? '')) count++
  if (isDelete) while (position < value.length && !cardDigits(value[position] ?? '')) position++
  return { value, caret: position }
}
