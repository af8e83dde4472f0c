import { PackageStep } from '../PackageStep.tsx'
import type { Wizard } from '../wizard.ts'

/** The packages to start with. */
export const ProductSelection = ({ wizard }: { wizard: Wizard }) => (
  <PackageStep
    wizard={wizard}
    list="product_ids"
    title="Choose your membership"
    lead="Each one opens every room. You can change your mind until you pay."
  />
)
