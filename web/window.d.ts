interface Window {
  /** The button that was pressed before the script arrived, left by early.ts; null once the page is awake. */
  pressed?: HTMLElement | null
}
