interface Window {
  /** The button that was pressed before the script arrived; left by early.ts. */
  pressed?: HTMLElement | undefined
}
