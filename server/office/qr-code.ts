import encodeQR from 'qr'

/** The blank margin that a camera needs to find the code, in modules. */
const QUIET_ZONE = 4

/** A member's link as an SVG QR code. */
export function qrCode(link: string): string {
  const rows = encodeQR(link, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  const runs = rows.flatMap((row, y) => darkRuns(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${rows.length} ${rows.length}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${rows.length}v${rows.length}H0z"/><path d="${runs.join('')}"/></svg>`
}

/** The start and length of each run of dark modules in a row. */
function darkRuns(row: boolean[]): [x: number, length: number][] {
  const runs: [number, number][] = []
  row.forEach((dark, x) => {
    if (!dark) return
    const last = runs.at(-1)
    if (last && last[0] + last[1] === x) last[1] += 1
    else runs.push([x, 1])
  })
  return runs
}
