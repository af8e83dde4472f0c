import type { consoleSponsorCalls } from '#contract/console/sponsors.ts'
import type { HandlersOf } from '../console.ts'
import { listSponsors } from './sponsor-list.ts'
import {
  activateSponsor,
  addSponsor,
  deactivateSponsor,
  removeSponsorPicture,
  renameSponsor,
  setSponsorPicture,
  viewSponsor,
} from './sponsors.ts'

export const sponsorsHandlers = {
  listSponsors: (input, { world }) => listSponsors(world, input),
  getSponsorPage: ({ sponsor_id }, { world }) => viewSponsor(world, sponsor_id),
  addSponsor: (input, { world, session }) => addSponsor(world, input, session.staff),
  activateSponsor: (input, { world, session }) => activateSponsor(world, input, session.staff),
  deactivateSponsor: (input, { world, session }) => deactivateSponsor(world, input, session.staff),
  renameSponsor: (input, { world, session }) => renameSponsor(world, input, session.staff),
  setSponsorPicture: (input, { world, session }) => setSponsorPicture(world, input, session.staff),
  removeSponsorPicture: (input, { world, session }) => removeSponsorPicture(world, input, session.staff),
} satisfies HandlersOf<typeof consoleSponsorCalls>
