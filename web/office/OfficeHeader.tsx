import { brand } from '#contract/brand.ts'
import { SignOut } from './SignOut.tsx'

/** The brand, and the way out, on every page of a member who is signed in. */
export const OfficeHeader = () => (
  <header className="header">
    <a className="brand" href="/office">
      <img src={brand.mark} alt="" width="30" height="30" />
      {brand.name}
    </a>
    <SignOut />
  </header>
)
