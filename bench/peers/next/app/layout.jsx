import '../../step/page.css'

export const metadata = {
  title: "Join Foyer with Ana's Paper Lantern Studio",
  icons: '/favicon.svg',
}

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
