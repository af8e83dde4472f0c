import {
  type Finding,
  fails,
  holds,
  isFields,
  isMessages,
  isOk,
  type Row,
  type Run,
  shapeOf,
  unexpected,
  warning,
} from './row.ts'

/** Availability, sponsors and page hits. Writes nothing. */
export const peopleRows: Row[] = [
  {
    id: 'email.available',
    group: 'read',
    sentence: "POST enrollment/validate_email: email is 'Available' or a list of messages",
    check: async ({ host, mark }) => availability(host, 'email', `${mark}@conformance.example`, 'Available'),
  },
  {
    id: 'email.messages',
    group: 'read',
    sentence: 'If an email address is taken or wrong, the first server message is shown',
    needs: ['email.available'],
    check: async ({ host }) => availability(host, 'email', 'not an email address', 'messages'),
  },
  {
    id: 'username.available',
    group: 'read',
    sentence: "POST enrollment/validate_username: username is 'Available' or a list of messages",
    check: async ({ host, mark }) => availability(host, 'username', mark, 'Available'),
  },
  {
    id: 'username.messages',
    group: 'read',
    sentence: 'Username: letters and digits only',
    needs: ['username.available'],
    check: async ({ host }) => availability(host, 'username', '$$$', 'messages'),
  },
  {
    id: 'sponsor.active',
    group: 'read',
    sentence: "GET enrollment/get_enrollment_sponsor with sponsor_site: site, active ('Yes' or not)",
    check: async ({ host, sponsor }) => {
      const answer = await host.get('enrollment/get_enrollment_sponsor', { sponsor_site: sponsor })
      if (!isOk(answer) || !isFields(answer.json) || typeof answer.json.site !== 'string')
        return unexpected(answer, 'site and active')
      const { active } = answer.json
      if (typeof active !== 'string') return fails(`active is ${shapeOf(active)}, not a text.`)
      if (active === 'Yes') return holds(`'${sponsor}' is active`)
      return active.toLowerCase() === 'yes'
        ? fails(`active is '${active}', not 'Yes'.`)
        : warning(`'${sponsor}' isn’t active.`)
    },
  },
  {
    id: 'sponsor.unknown',
    group: 'read',
    sentence:
      'If the returned sponsor site differs from the URL parameter, the user is redirected to the returned site',
    needs: ['sponsor.active'],
    check: async ({ host, mark }) => {
      const answer = await host.get('enrollment/get_enrollment_sponsor', { sponsor_site: mark })
      if (answer.status >= 500) return fails(`Status ${answer.status} for a site that doesn't exist`)
      const { site, active } = isFields(answer.json) ? answer.json : {}
      if (isOk(answer) && site === mark && active === 'Yes') return fails('A site that doesn’t exist is active.')
      return holds(isOk(answer) ? `Leads to '${site}'` : `Status ${answer.status}`)
    },
  },
  {
    id: 'hits',
    group: 'read',
    sentence: 'GET replicated-sites/page-hits/{sponsor_site}: page-hit tracking; response not used',
    check: async ({ host, sponsor }) => {
      const { status } = await host.get(`replicated-sites/page-hits/${encodeURIComponent(sponsor)}`)
      return status < 400 ? holds(`Status ${status}`) : fails(`Status ${status}`)
    },
  },
]

/** These checks look at every answer of the run, so they come last. */
export const wholeRunRows: Row[] = [
  {
    id: 'answers.json',
    group: 'read',
    sentence: 'Every call answers with JSON and its content type',
    check: async ({ host: { answers } }) => {
      const wrong = answers.find(
        ({ type, status, call }) => status < 400 && !call.includes('page-hits') && !/\bjson\b/.test(type),
      )
      return wrong ? fails(`${wrong.call}: ${wrong.type || 'no content type'}`) : holds(`${answers.length} answers`)
    },
  },
  {
    id: 'answers.redirects',
    group: 'read',
    sentence: 'Every call is answered without a redirect',
    check: async ({ host: { answers } }) => {
      const moved = answers.find(({ status }) => status >= 300 && status < 400)
      return moved ? fails(`${moved.call}: status ${moved.status}`) : holds('None')
    },
  },
  {
    id: 'answers.encrypted',
    group: 'read',
    sentence: 'Card data travels encrypted: the host has https',
    check: async ({ host: { base } }) => {
      const isHere = /^(localhost|127\.|\[::1\])/.test(base.host)
      return base.protocol === 'https:' || isHere
        ? holds(isHere ? 'On this machine' : 'https')
        : fails('http on a network')
    },
  },
]

export async function availability(
  host: Run['host'],
  field: 'email' | 'username',
  value: string,
  expected: 'Available' | 'messages',
): Promise<Finding> {
  const answer = await host.post(`enrollment/validate_${field}`, { [field]: value })
  const seen = isFields(answer.json) ? answer.json[field] : undefined
  if (expected === 'Available')
    return seen === 'Available' ? holds("'Available'") : unexpected(answer, `${field}: 'Available'`)
  return isMessages(seen)
    ? holds(seen.length === 1 ? 'A message' : `${seen.length} messages`)
    : fails(`Expected a list of messages; seen: ${field} is ${shapeOf(seen)}`)
}
