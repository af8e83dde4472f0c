import { type FormEvent, type InputHTMLAttributes, type ReactNode, useState } from 'react'
import { type Brand, brandOf, brands, cardDigits, groupCard } from '#contract/card.ts'
import { BillingIcon } from '#web/icons.tsx'
import { BrandMark, BrandMarks } from './BrandMark.tsx'
import { regroup } from './caret.ts'
import { described, FieldFrame, type FieldProps } from './Field.tsx'
import { useSecretField } from './useSecretField.ts'

type CardProps = FieldProps &
  Pick<InputHTMLAttributes<HTMLInputElement>, 'enterKeyHint'> & {
    defaultValue: string
    hint: ReactNode
    onBrand: (brand: Brand | undefined) => void
  }

const card = { group: groupCard, bare: cardDigits }

/** A card number: grouped as it is typed, with the caret kept and the brand shown. */
export function CardField({ defaultValue, enterKeyHint, onBrand, ...words }: CardProps) {
  const [brand, setBrand] = useState(brandOf(defaultValue))
  const field = useSecretField('cc-number')

  const onInput = (event: FormEvent<HTMLInputElement>) => {
    const field = event.currentTarget
    const { isComposing, inputType } = event.nativeEvent as InputEvent
    if (isComposing) return
    const { value, caret } = regroup(
      field.value,
      field.selectionStart ?? field.value.length,
      card,
      inputType === 'deleteContentForward',
    )
    if (value !== field.value || inputType === 'deleteContentForward') {
      field.value = value
      if (document.activeElement === field) field.setSelectionRange(caret, caret)
    }
    const found = brandOf(value)
    if (found === brand) return
    setBrand(found)
    onBrand(found)
  }

  return (
    <FieldFrame {...words}>
      <BrandMarks chosen={brand} />
      <div className="card-number">
        <input
          ref={field}
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
          {...described(words)}
        />
        <span className="card-brand">
          {brand ? <BrandMark brand={brand} /> : <BillingIcon />}
          <span className="unseen" role="status">
            {brand && brands[brand].name}
          </span>
        </span>
      </div>
    </FieldFrame>
  )
}
