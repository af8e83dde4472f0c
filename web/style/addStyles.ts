/** Adds styles that come with a script. A constructed style sheet needs no entry in the content security policy. */
export function addStyles(css: string) {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets.push(sheet)
}
