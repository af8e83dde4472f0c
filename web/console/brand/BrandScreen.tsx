import { useEffect, useRef, useState } from 'react'
import { isHexColor, isReadableAccent, nearestReadable } from '#contract/brand-colors.ts'
import { type BrandView, radii } from '#contract/console/brand.ts'
import { consoleCalls } from '#contract/console/console.ts'
import { Field } from '#web/form/Field.tsx'
import { SelectField } from '#web/form/SelectField.tsx'
import { CallForm } from '#web/ui/CallForm.tsx'
import { ErrorNotice } from '#web/ui/ErrorNotice.tsx'
import { errorMessage } from '#web/ui/errorMessage.ts'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { useConsole } from '../api.ts'
import { useEditForm } from '../editing/useEditForm.tsx'
import { Facts, Panel, ScreenHead, Waiting } from '../parts.tsx'
import { Link, toQuery, useAddress } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'
import { logoFile } from './logoFile.ts'

type Values = Record<string, string>

/** Name, logo, colors and texts, with a preview of what is not saved yet. */
export function BrandScreen() {
  const { api, may } = useConsole()
  const loaded = useLoaded('brand', () => api.getBrand({}))
  const { data, setData } = loaded
  const [unsaved, setUnsaved] = useState<Values>()
  const [saved, setSaved] = useState<string>()
  const done = (message: string) => (view: BrandView) => {
    setData(view)
    setSaved(message)
  }
  return (
    <>
      <ScreenHead
        title="Brand and texts"
        lead="What visitors and members see. Changes appear within seconds, without a restart."
      />
      <SuccessNotice message={saved} />
      {!data ? (
        <Waiting loaded={loaded} />
      ) : (
        <div className="brand-grid">
          <div className="stack">
            <Logo view={data} onDone={done('The logo is changed. Open pages show it after a reload.')} />
            {may('manage_brand') ? (
              <BrandForm view={data} onInput={setUnsaved} onDone={done('Saved. Open pages show it after a reload.')} />
            ) : (
              <BrandFacts view={data} />
            )}
          </div>
          <Preview values={unsaved ?? formOf(data)} logo={data.logo_url} />
        </div>
      )}
    </>
  )
}

const formOf = ({ name, accent, radius, support, email_footer, welcome }: BrandView): Values => ({
  name,
  accent,
  radius,
  support,
  email_footer,
  welcome,
})

type PartProps = { view: BrandView; onDone: (view: BrandView) => void }

function Logo({ view, onDone }: PartProps) {
  const { api, may } = useConsole()
  const file = useRef<HTMLInputElement>(null)
  const [error, setError] = useState<string>()
  const run = (change: () => Promise<BrandView>) => {
    setError(undefined)
    change().then(onDone, (cause: unknown) => setError(errorMessage(cause)))
  }
  return (
    <Panel title="Logo">
      <div className="logo-row">
        <img src={view.logo_url ?? '/assets/mark.svg'} alt="The logo" width="64" height="64" />
        <p className="small">
          {view.logo_url ? 'Your own logo.' : 'The built-in logo.'} SVG, PNG, JPEG or WebP, square, at most 40 kB.
        </p>
      </div>
      <ErrorNotice message={error} />
      {may('manage_brand') && (
        <div className="row-actions">
          <input
            ref={file}
            type="file"
            name="logo"
            accept="image/svg+xml,image/png,image/jpeg,image/webp"
            hidden
            onChange={({ target }) => {
              const [chosen] = target.files ?? []
              target.value = '' // the same file can be chosen again
              if (chosen) run(async () => api.changeLogo({ logo: await logoFile(chosen) }))
            }}
          />
          <button type="button" className="button quiet" onClick={() => file.current?.click()}>
            Choose a file
          </button>
          {view.logo_url && (
            <button type="button" className="link danger" onClick={() => run(() => api.removeLogo({}))}>
              Use the built-in logo
            </button>
          )}
        </div>
      )}
    </Panel>
  )
}

const radiusTexts: Record<(typeof radii)[number], string> = {
  '0rem': 'square',
  '0.3125rem': 'slightly round',
  '0.625rem': 'round',
  '1rem': 'very round',
}

const { version: _version, ...formRules } = consoleCalls.changeBrand.input.shape

const labels = {
  name: 'Name',
  accent: 'Accent color',
  radius: 'Corners',
  support: 'Support address',
  welcome: 'Welcome text',
  email_footer: 'Email footer',
}

function BrandForm({ view, onInput, onDone }: PartProps & { onInput: (values: Values) => void }) {
  const { api } = useConsole()
  const form = useEditForm({
    rules: formRules,
    page: view,
    shownOf: (page) => ({ version: page.version, values: formOf(page) }),
    load: () => api.getBrand({}),
    save: (values, version) => api.changeBrand({ ...values, version }),
    onSaved: onDone,
    draftName: 'brand',
    staysAt: ({ pathname }) => pathname === '/console/brand',
    labels,
    show: (name, value) => (name === 'radius' ? radiusTexts[value as BrandView['radius']] : value),
  })
  const frame = useRef<HTMLDivElement>(null)
  const [accent, setAccent] = useState(form.initial.accent ?? '')
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const read = () => {
      const element = frame.current?.querySelector('form')
      const values = element ? (Object.fromEntries(new FormData(element)) as Values) : {}
      setAccent(values.accent?.trim().toLowerCase() ?? '')
      onInput(values)
    }
    const later = () => {
      clearTimeout(timer)
      timer = setTimeout(read, 300)
    }
    const { current } = frame
    current?.addEventListener('input', later)
    return () => {
      clearTimeout(timer)
      current?.removeEventListener('input', later)
    }
  }, [onInput])
  return (
    <Panel title="Name, colors and texts">
      <div ref={frame}>
        <CallForm form={form} submitLabel="Save">
          {form.restored}
          <Field
            {...form.field('name')}
            label={labels.name}
            optional
            hint={`${view.built_in.name} if empty.`}
            autoComplete="off"
          />
          <Field
            {...form.field('accent')}
            label={labels.accent}
            optional
            hint={`Buttons and links, such as ${view.built_in.accent}. Darker and lighter shades follow from it.`}
            autoComplete="off"
            spellCheck={false}
          >
            <input
              type="color"
              className="color-picker"
              aria-label="Color picker"
              value={isHexColor(accent) ? accent : view.built_in.accent}
              onChange={({ target }) => setAccentField(target.value)}
            />
          </Field>
          <NearestAccent accent={accent} />
          <SelectField
            {...form.field('radius')}
            label={labels.radius}
            options={radii.map((value) => ({ value, text: radiusTexts[value] }))}
          />
          <Field
            {...form.field('support')}
            label={labels.support}
            optional
            hint={view.built_in.support ? `${view.built_in.support} if empty.` : 'An email address or a page.'}
            autoComplete="off"
          />
          <Field
            {...form.field('welcome')}
            label={labels.welcome}
            optional
            hint="A sentence for new members, on the last page and in the first email."
            autoComplete="off"
          />
          <Field
            {...form.field('email_footer')}
            label={labels.email_footer}
            optional
            hint="Such as your address and registration."
            autoComplete="off"
          />
          {form.questions}
        </CallForm>
      </div>
    </Panel>
  )
}

/** As if it had been typed. */
function setAccentField(color: string): HTMLInputElement | null {
  const field = document.querySelector<HTMLInputElement>('input[name=accent]')
  if (field) field.value = color
  field?.dispatchEvent(new Event('input', { bubbles: true }))
  return field
}

/** Offers the nearest color on which white text can be read. */
function NearestAccent({ accent }: { accent: string }) {
  if (!isHexColor(accent) || isReadableAccent(accent)) return null
  const nearest = nearestReadable(accent)
  const take = () => setAccentField(nearest)?.focus()
  return (
    <p className="nearest" role="status">
      {accent} is too light for white text; the nearest that works is {nearest}.{' '}
      <button type="button" className="link" onClick={take}>
        Take {nearest}
      </button>
    </p>
  )
}

const BrandFacts = ({ view }: { view: BrandView }) => (
  <Panel title="Name, colors and texts">
    <Facts
      facts={[
        [labels.name, view.name || view.built_in.name],
        [labels.accent, view.accent || view.built_in.accent],
        [labels.radius, radiusTexts[view.radius]],
        [labels.support, view.support || view.built_in.support || 'none'],
        [labels.welcome, view.welcome || 'the built-in one'],
        [labels.email_footer, view.email_footer || 'none'],
      ]}
    />
  </Panel>
)

const previews = [
  ['wizard', 'The form'],
  ['email', 'An email'],
] as const

/** What is shown is in the address. */
function Preview({ values, logo }: { values: Values; logo: string | undefined }) {
  const { query } = useAddress()
  const shown = query.get('preview') === 'email' ? 'email' : 'wizard'
  return (
    <section className="card panel preview" aria-label="Preview">
      <div className="panel-head">
        <h2>Preview</h2>
        <div className="row-actions">
          {previews.map(([name, text]) => (
            <Link
              key={name}
              to={`/console/brand${name === 'email' ? '?preview=email' : ''}`}
              isCurrent={name === shown}
            >
              {text}
            </Link>
          ))}
        </div>
      </div>
      <iframe
        key={logo}
        title={shown === 'email' ? 'Preview of an email' : 'Preview of the form'}
        src={`/console/preview/${shown}${toQuery(values)}`}
      />
    </section>
  )
}
