import { describe, expect, it } from 'vitest'
import { type Piece, piecesOf } from './pieces.ts'

const read = async (text: BlobPart) => {
  const pieces: Piece[] = []
  for await (const piece of piecesOf(new Blob([text]))) pieces.push(piece)
  return pieces
}

describe('pieces of a file', () => {
  it('30.13 are whole lines, and together they are the file', async () => {
    const lines = Array.from({ length: 9_000 }, (_, n) => `p${n},"Zoë, ""${n}""\r\nsecond line",ü`)
    const pieces = await read(`\uFEFFusername,name,x\r\n${lines.join('\r\n')}`)
    expect(pieces.length).toBeGreaterThan(3)
    expect(new Set(pieces.map(({ header }) => header))).toEqual(new Set(['username,name,x\r\n']))
    expect(pieces.map(({ text }) => text).join('')).toBe(lines.join('\r\n'))
    expect(pieces.map(({ piece }) => piece)).toEqual(pieces.map((_, n) => n))
    for (const { text, first_line } of pieces) expect(text).toMatch(new RegExp(`^p${(first_line - 2) / 2},`))
  })

  it('30.13 stop at a quote that is never closed, and at a file that isn’t text', async () => {
    await expect(read(`username\nmara\n"${'x\n'.repeat(4_000)}`)).rejects.toThrow('Line 3 is too long')
    await expect(read('PK\u0003\u0004')).rejects.toThrow('This is a spreadsheet')
    expect(await read('')).toMatchObject([{ header: '', text: '' }])
  })
})
