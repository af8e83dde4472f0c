import type { Column } from '../drill/table.ts'
import type { Row } from './row.ts'

export const columns: Column<Row>[] = [
  { head: 'part', widest: 12, tell: ({ part }) => part },
  { head: 'goal', widest: 26, tell: ({ goal }) => goal },
  { head: 'promise', widest: 22, tell: ({ promise }) => promise },
  { head: 'measured', widest: 24, tell: ({ measured }) => measured },
  { head: 'beside it, in the same run', widest: 44, tell: ({ beside }) => beside },
  { head: 'spread', widest: 24, tell: ({ spread }) => spread },
  { head: '', widest: 4, tell: ({ passed }) => (passed ? 'pass' : 'FAIL') },
]
