import type { VendorCaptcha } from '#contract/start.ts'

type Heard = {
  /** A token, or '' once it is too old. */
  solved: (token: string) => unknown
  failed: (cause: unknown) => unknown
}

/** What the scripts of vendors have in common. */
type Vendor = {
  render: (place: HTMLElement, options: Record<string, unknown>) => unknown
  remove?: (id: unknown) => void
}

type TrustedTypes = { createPolicy: (name: string, rules: { createScriptURL: (address: string) => string }) => Policy }
type Policy = { createScriptURL: (address: string) => string }
const page = window as unknown as Record<string, unknown> & { trustedTypes?: TrustedTypes }

/** Where the page demands Trusted Types, an address becomes a script's only through a policy: this is ours. */
const policy: Policy = page.trustedTypes?.createPolicy('foyer-captcha', {
  createScriptURL: (address) => address,
}) ?? { createScriptURL: (address) => address }

const PATIENCE = 15_000

let loading: Promise<Vendor> | undefined

/** Loads a vendor's script, once, and tells how to show a box, which answers with how to take it away. Throws when it does not come. */
export async function loadVendor({ script, onload, global, site_key }: VendorCaptcha) {
  loading ??= load(script, onload, global).catch((cause: unknown) => {
    loading = undefined // so that another try is one
    throw cause
  })
  const vendor = await loading

  return (around: HTMLElement, { solved, failed }: Heard): (() => void) => {
    const place = document.createElement('div') // a vendor fills a place only once
    around.append(place)
    const id = vendor.render(place, {
      sitekey: site_key,
      callback: solved,
      'expired-callback': () => solved(''),
      'error-callback': (code: unknown) => {
        failed(code)
        return true // heard: nothing to throw
      },
    })
    return () => {
      vendor.remove?.(id)
      place.remove()
    }
  }
}

function load(address: string, onload: string, global: string): Promise<Vendor> {
  const script = document.createElement('script')
  return new Promise<Vendor>((resolve, reject) => {
    page[onload] = () => resolve(page[global] as Vendor)
    setTimeout(() => reject(new Error('The script did not come in time.')), PATIENCE)
    script.addEventListener('error', () => reject(new Error('The script could not be loaded.')))
    script.src = policy.createScriptURL(address)
    document.head.append(script)
  }).catch((cause: unknown) => {
    script.remove()
    throw cause
  })
}
