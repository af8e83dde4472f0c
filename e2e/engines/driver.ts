/**
 * What the tests need of a browser. Actions are W3C input actions, which are the same JSON in both protocols: WebDriver BiDi
 * for Firefox and classic WebDriver for WebKit.
 */
export type Driver = {
  /** Starts loading a page. Does not wait for it. */
  navigate: (url: string) => Promise<void>
  reload: () => Promise<void>
  /** Back or Forward. */
  traverse: (delta: -1 | 1) => Promise<void>
  /** Returns the value of an expression that is a string. */
  evaluate: (expression: string) => Promise<string>
  perform: (actions: object[]) => Promise<void>
  resize: (width: number, height: number) => Promise<void>
  /** A PNG in base64. */
  screenshot: () => Promise<string>
  close: () => Promise<void>
}

export type Engine = {
  /** Opens a window without cookies or stored data of another window. */
  openWindow: (options?: WindowOptions) => Promise<Driver>
  close: () => Promise<void>
}

export type WindowOptions = {
  /** As a visitor's own settings or an extension would do. */
  blockStorage?: boolean
}
