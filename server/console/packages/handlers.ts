import type { consolePackageCalls } from '#contract/console/packages.ts'
import type { HandlersOf } from '../console.ts'
import {
  addPackage,
  changePrices,
  editPackage,
  listPackages,
  movePackage,
  offerPackage,
  setPackagePicture,
  viewPackage,
  viewPriceEffect,
  withdrawPackage,
} from './packages.ts'
import { changeVolumes } from './volume-actions.ts'

export const packagesHandlers = {
  listPackages: (_input, { world }) => listPackages(world),
  getPackage: ({ product_id }, { world }) => viewPackage(world, product_id),
  addPackage: (input, { world, session }) => addPackage(world, input, session.staff),
  editPackage: (input, { world, session }) => editPackage(world, input, session.staff),
  movePackage: (input, { world, session }) => movePackage(world, input, session.staff),
  withdrawPackage: (input, { world, session }) => withdrawPackage(world, input, session.staff),
  offerPackage: (input, { world, session }) => offerPackage(world, input, session.staff),
  setPackagePicture: (input, { world, session }) => setPackagePicture(world, input, session.staff),
  getPriceEffect: (input, { world }) => viewPriceEffect(world, input),
  changePrices: (input, { world, session }) => changePrices(world, input, session.staff),
  setVolumes: (input, { world, session }) => changeVolumes(world, input, session.staff),
} satisfies HandlersOf<typeof consolePackageCalls>
