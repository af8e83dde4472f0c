/** What the server sends of every page of the console; main.tsx replaces it. */
export const ConsoleLoading = () => (
  <div className="console-loading">
    <div className="bar" role="progressbar" aria-label="Loading" />
    <noscript>
      <p>The console needs JavaScript. Please turn it on and reload the page.</p>
    </noscript>
  </div>
)
