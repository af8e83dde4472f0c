import { PackageStep } from '../PackageStep.tsx'
import type { Wizard } from '../wizard.ts'

/** What may come with the membership. */
export const Autoship = ({ wizard }: { wizard: Wizard }) => (
  <PackageStep
    wizard={wizard}
    list="autoship_product_ids"
    title="Anything to go with it?"
    lead="Add it to your membership, or go on without. You can change your mind until you pay."
  />
)
