import { PackageStep } from '../PackageStep.tsx'
import type { Wizard } from '../wizard.ts'

/** What is offered once. */
export const Special = ({ wizard }: { wizard: Wizard }) => (
  <PackageStep
    wizard={wizard}
    list="special_product_ids"
    title="Something special?"
    lead="Offered once, with your membership. You can go on without, and change your mind until you pay."
  />
)
