import type { consoleMemberCalls } from '#contract/console/members.ts'
import { findCreditNote } from '#server/membership/credit-notes.ts'
import { Refusal } from '#server/refusal.ts'
import type { World } from '#server/world/world.ts'
import type { StaffSession } from '../access/session.ts'
import type { HandlersOf, Request } from '../console.ts'
import { findAttempts } from './attempt-search.ts'
import { erasePerson } from './erase-person.ts'
import { exportPerson } from './export-person.ts'
import {
  cancelMembership,
  changeRenewalDay,
  endSessions,
  holdMembership,
  refundPayment,
  releaseMembership,
  removeMemberSecondFactor,
  resumeMembership,
  sendResetLink,
  voidPayment,
  waiveNextPeriod,
} from './member-actions.ts'
import { changeDetails } from './member-details.ts'
import { resendEmail } from './member-emails.ts'
import { exportMembers } from './member-export.ts'
import { listMembers, packagesToFilterBy } from './member-list.ts'
import { viewAcceptedText, viewMember } from './member-page.ts'
import { changePlacement } from './placement-moves.ts'
import { moveSponsor } from './sponsor-moves.ts'

export const membersHandlers = {
  listMembers: async (input, { world }) => {
    const { search = '', sort: _sort, ...filters } = input
    const isSearchOnly = !Object.values(filters).some(Boolean) // the filters are about members
    const [list, attempts] = await Promise.all([
      listMembers(world, input),
      isSearchOnly ? findAttempts(world, search) : [],
    ])
    return { ...list, attempts }
  },
  exportMembers: (input, { world, session }) => exportMembers(world, input, session),
  getFilters: async (_input, { world }) => ({ packages: await packagesToFilterBy(world.db) }),
  getMember: ({ member_id }, { world }) => viewMember(world, member_id),
  getAcceptedText: (input, { world }) => viewAcceptedText(world.db, input),
  getCreditNote: async ({ number }, { world }) => {
    const found = await findCreditNote(world, number)
    if (!found) throw new Refusal(404, 'There is no such credit note.')
    return found.note
  },
  refundPayment: thenViewMember(refundPayment),
  voidPayment: thenViewMember(voidPayment),
  cancelMembership: thenViewMember(cancelMembership),
  resumeMembership: thenViewMember(resumeMembership),
  holdMembership: thenViewMember(holdMembership),
  releaseMembership: thenViewMember(releaseMembership),
  changeDetails: thenViewMember(changeDetails),
  moveSponsor: thenViewMember(moveSponsor),
  changePlacement: thenViewMember(changePlacement),
  waivePeriod: thenViewMember(waiveNextPeriod),
  moveRenewalDay: thenViewMember(changeRenewalDay),
  exportPerson: (input, { world, session }) => exportPerson(world, input, session),
  erasePerson: thenViewMember(erasePerson),
  endSessions: thenViewMember(endSessions),
  removeSecondFactor: thenViewMember(removeMemberSecondFactor),
  sendResetLink: thenViewMember(sendResetLink),
  resendEmail: thenViewMember(resendEmail),
} satisfies HandlersOf<typeof consoleMemberCalls>

type Action<Input> = (world: World, input: Input, session: StaffSession) => Promise<unknown>

/** Runs an action, and responds with the member as they are then. */
function thenViewMember<Input extends { member_id: string }>(action: Action<Input>) {
  return async (input: Input, { world, session }: Request) => {
    await action(world, input, session)
    return viewMember(world, input.member_id)
  }
}
