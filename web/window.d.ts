/** A style sheet as text. */
declare module '*.css?inline' {
  const css: string
  export default css
}

interface Window {
  /** The button that was pressed before the script arrived, left by early.ts; null once the page is awake. */
  pressed?: HTMLElement | null
}
