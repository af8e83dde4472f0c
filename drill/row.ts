/** A line of the table that a drill ends with. */
export type Row = { part: string; database: string; done: string; found: string; ok: boolean }
