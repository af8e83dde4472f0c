/** The rules of the first step's fields, with their messages. */
const rules = {
  first_name: { missing: 'Please enter your first name.' },
  last_name: { missing: 'Please enter your last name.' },
  mobile_phone: {
    missing: 'Please enter your mobile phone number.',
    pattern: /^\+?\d{7,20}$/,
    wrong: 'Invalid mobile phone number format.',
  },
}

const messageFor = ({ missing, pattern, wrong }, value) => {
  if (!value) return missing
  return pattern && !pattern.test(value.replace(/[\s().-]/g, '')) ? wrong : undefined
}

/** Error messages by field. */
export const findErrors = (answers) =>
  Object.fromEntries(
    Object.entries(rules)
      .map(([name, rule]) => [name, messageFor(rule, answers[name]?.trim())])
      .filter(([, message]) => message),
  )
