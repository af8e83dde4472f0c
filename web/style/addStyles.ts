/** Puts on styles that come with a script. Made here and not loaded, so the page's policy names none but its own. */
export function addStyles(css: string) {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets.push(sheet)
}
