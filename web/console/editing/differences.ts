/** What a form shows, and the server's name for that state. */
export type Shown = { version: string; values: Record<string, string> }

/** A field that someone else has saved with a different answer, and whether the form has theirs now. */
export type Difference = { name: string; theirs: string; yours: string; isTheirs: boolean }

/**
 * The fields that someone else has changed since the form was opened, with a different answer here. Fields that this person
 * hasn't touched take the new values.
 */
export const differencesOf = (before: Shown, theirs: Shown, yours: Record<string, string>): Difference[] =>
  Object.entries(theirs.values).flatMap(([name, value]) => {
    const [old = '', own = ''] = [before.values[name], yours[name]]
    if (value === old || value === own) return []
    return [{ name, theirs: value, yours: own, isTheirs: own === old }]
  })

export const isChanged = ({ values }: Shown, typed: Record<string, string>): boolean =>
  Object.entries(values).some(([name, value]) => name in typed && typed[name] !== value)
