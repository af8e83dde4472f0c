import encodeQR from 'qr'

/** Modules of nothing around the code, which a camera needs to find it. */
const QUIET = 4

/** A member's link as a QR code, as SVG: readable from a screen, and from paper of any size. */
export function qrCode(link: string): string {
  const rows = encodeQR(link, 'raw', { ecc: 'medium', border: QUIET })
  const runs = rows.flatMap((row, y) => runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${rows.length} ${rows.length}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${rows.length}v${rows.length}H0z"/><path d="${runs.join('')}"/></svg>`
}

/** Where dark modules begin in a row, and how many follow. */
function runsOf(row: boolean[]): [x: number, length: number][] {
  const runs: [number, number][] = []
  row.forEach((dark, x) => {
    if (!dark) return
    const last = runs.at(-1)
    if (last && last[0] + last[1] === x) last[1] += 1
    else runs.push([x, 1])
  })
  return runs
}
