import type { consoleBrandCalls } from '#contract/console/brand.ts'
import type { HandlersOf } from '../console.ts'
import { changeBrand, changeLogo, removeLogo, viewBrand } from './brand.ts'

export const brandHandlers = {
  getBrand: (_input, { world }) => viewBrand(world),
  changeBrand: (input, { world, session }) => changeBrand(world, input, session),
  changeLogo: (input, { world, session }) => changeLogo(world, input, session),
  removeLogo: (_input, { world, session }) => removeLogo(world, session),
} satisfies HandlersOf<typeof consoleBrandCalls>
