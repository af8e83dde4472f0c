import { useState } from 'react'
import { controlProps, FieldFrame } from '#web/form/Field.tsx'
import { TextareaField } from '#web/form/TextareaField.tsx'
import { toHtml, toPlainText } from './plainText.ts'

type DocumentTextProps = {
  name: string
  /** HTML, and so is what the form reads. */
  defaultValue: string
  error: string | undefined
  onChange: (html: string) => void
}

const TEXT_HINT =
  '## begins a heading, - or 1. a list item, an empty line a new paragraph. **bold**, *italic*, [link](https://…).'
const HTML_HINT = 'Headings (h2, h3), paragraphs, lists, bold, italic and links. Everything else is left out.'

/** The text of a document: plain text for everyday edits, HTML for what plain text can't say. */
export function DocumentText({ name, defaultValue, error, onChange }: DocumentTextProps) {
  const [html, setHtml] = useState(defaultValue)
  const [isHtml, setIsHtml] = useState(() => toPlainText(defaultValue) === undefined)
  const plainText = toPlainText(html)
  const change = (next: string) => {
    setHtml(next)
    onChange(next)
  }
  return (
    <>
      <fieldset className="tabs">
        <legend className="unseen">Edit as</legend>
        {[false, true].map((value) => (
          <button
            key={String(value)}
            type="button"
            className="tab"
            aria-pressed={isHtml === value}
            disabled={!value && plainText === undefined}
            onClick={() => setIsHtml(value)}
          >
            {value ? 'HTML' : 'Plain text'}
          </button>
        ))}
      </fieldset>
      {isHtml ? (
        <TextareaField
          name={name}
          error={error}
          defaultValue={html}
          label="Text"
          hint={plainText === undefined ? `${HTML_HINT} This text has parts that plain text can’t keep.` : HTML_HINT}
          rows={22}
          spellCheck
          className="control code"
          onChange={({ target }) => change(target.value)}
        />
      ) : (
        <FieldFrame name={name} label="Text" hint={TEXT_HINT} error={error}>
          <textarea
            {...controlProps({ name, hint: TEXT_HINT, error })}
            name={undefined}
            className="control"
            rows={22}
            spellCheck
            defaultValue={plainText}
            onChange={({ target }) => change(toHtml(target.value))}
          />
          <input type="hidden" name={name} value={html} />
        </FieldFrame>
      )}
    </>
  )
}
