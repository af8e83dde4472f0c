/** A style sheet as text. */
declare module '*.css?inline' {
  const css: string
  export default css
}

interface Window {
  /** The button that was pressed before the script had loaded, set by early.ts; null once the page is hydrated. */
  pressed?: HTMLElement | null
}
