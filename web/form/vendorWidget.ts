import type { VendorCaptcha } from '#contract/start.ts'

type WidgetEvents = {
  /** Receives a token, or '' once it has expired. */
  onToken: (token: string) => unknown
  onError: (cause: unknown) => unknown
}

/** What the vendors' scripts have in common. */
type VendorApi = {
  render: (container: HTMLElement, options: Record<string, unknown>) => unknown
  remove?: (id: unknown) => void
}

type ScriptPolicy = { createScriptURL: (address: string) => string }
type TrustedTypes = { createPolicy: (name: string, rules: ScriptPolicy) => ScriptPolicy }
const page = window as unknown as Record<string, unknown> & { trustedTypes?: TrustedTypes }

/** With Trusted Types on, a script's address must come from a policy. */
const policy: ScriptPolicy = page.trustedTypes?.createPolicy('foyer-captcha', {
  createScriptURL: (address) => address,
}) ?? { createScriptURL: (address) => address }

const TIMEOUT_MS = 15_000

let loading: Promise<VendorApi> | undefined

/** Loads the vendor's script once. Returns a function that shows the widget, and that returns a function to remove it. */
export async function loadVendor({ script, onload, global, site_key }: VendorCaptcha) {
  loading ??= load(script, onload, global).catch((cause: unknown) => {
    loading = undefined // so that the next try loads it again
    throw cause
  })
  const vendor = await loading

  return (parent: HTMLElement, { onToken, onError }: WidgetEvents): (() => void) => {
    const container = document.createElement('div') // vendors refuse to render into the same element twice
    parent.append(container)
    const id = vendor.render(container, {
      sitekey: site_key,
      callback: onToken,
      'expired-callback': () => onToken(''),
      'error-callback': (code: unknown) => {
        onError(code)
        return true // handled
      },
    })
    return () => {
      vendor.remove?.(id)
      container.remove()
    }
  }
}

function load(address: string, onload: string, global: string): Promise<VendorApi> {
  const script = document.createElement('script')
  return new Promise<VendorApi>((resolve, reject) => {
    page[onload] = () => resolve(page[global] as VendorApi)
    setTimeout(() => reject(new Error('The captcha script did not load in time.')), TIMEOUT_MS)
    script.addEventListener('error', () => reject(new Error('The captcha script could not be loaded.')))
    script.src = policy.createScriptURL(address)
    document.head.append(script)
  }).catch((cause: unknown) => {
    script.remove()
    throw cause
  })
}
