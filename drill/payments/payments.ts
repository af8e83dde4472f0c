import type { Drill } from '../drill.ts'
import { crashDrill } from './crashes.ts'
import { duplicates } from './duplicates.ts'
import { gatewayFaults } from './gateway-faults.ts'
import { guardDrill } from './guards.ts'
import { kill } from './kill.ts'
import { race } from './race.ts'

/** The payment drills by their command line names, in the order in which they run. */
export const paymentDrills = {
  duplicates,
  race,
  faults: gatewayFaults,
  guards: guardDrill,
  points: crashDrill,
  kill,
} satisfies Record<string, Drill>
