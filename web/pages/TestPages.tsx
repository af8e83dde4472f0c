import type { TestPage } from '#contract/pages.ts'

const names: Record<TestPage, string> = { clock: 'Test clock', payments: 'Test payments', outbox: 'Outbox' }

/** Links between the pages about the embedded parts. */
export const TestPages = ({ current, testPages }: { current: TestPage; testPages: TestPage[] }) => (
  <nav className="test-pages" aria-label="Test pages">
    {testPages.map((page) => (
      <a key={page} href={`/__${page}`} aria-current={page === current ? 'page' : undefined}>
        {names[page]}
      </a>
    ))}
  </nav>
)
