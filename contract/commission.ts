/** What commission engines compute with. */

/** A price is paid when joining, or at each renewal. */
export const occasions = ['joining', 'renewal'] as const
export type Occasion = (typeof occasions)[number]

/** Where a commission plan should put a member below the placement parent. */
export const placementSides = ['automatic', 'left', 'right', 'hold'] as const
export type PlacementSide = (typeof placementSides)[number]

export const placementTexts: Record<PlacementSide, string> = {
  automatic: 'Automatic',
  left: 'Left',
  right: 'Right',
  hold: 'Hold',
}
