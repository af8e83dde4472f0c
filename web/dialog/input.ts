export type InputType = 'text' | 'email' | 'url'

const rules: Record<InputType, { shape: RegExp; message: string } | undefined> = {
  text: undefined,
  email: { shape: /^[a-zA-Z0-9.+_'-]+@[a-zA-Z0-9.-]+\.[a-zA-Z0-9-]+$/, message: 'Invalid email address' },
  url: {
    shape: /^https?:\/\/(www\.)?[-a-zA-Z0-9@:%._+~#=]{1,256}\.[a-z]{2,63}\b([-a-zA-Z0-9@:%_+.~#?&/=]*)$/,
    message: 'Invalid URL',
  },
}

/** The message for an invalid value, or undefined. */
export function inputError(type: InputType, value: string): string | undefined {
  const rule = rules[type]
  return rule && !rule.shape.test(value) ? rule.message : undefined
}
