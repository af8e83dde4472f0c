import { PackageStep } from '../PackageStep.tsx'
import type { Wizard } from '../wizard.ts'

/** What may come every month. */
export const Autoship = ({ wizard }: { wizard: Wizard }) => (
  <PackageStep
    wizard={wizard}
    list="autoship_product_ids"
    title="Something every month?"
    lead="Add it to your membership, or go on without. You can change your mind until you pay."
  />
)
