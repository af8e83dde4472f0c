import type { DrawText } from './pdfPage.ts'

/** Sharp in print. */
const PIXELS_PER_POINT = 5

/** Draws a text with the fonts of the member's own device, which has those for the names that its owner types. */
export const drawText: DrawText = (text, font, size, color) => {
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser has no canvas.')
  const style = `${font === 'bold' ? 'bold ' : ''}${size * PIXELS_PER_POINT}px Helvetica, Arial, sans-serif`
  context.font = style
  const { width } = context.measureText(text)
  canvas.width = Math.ceil(width)
  canvas.height = Math.ceil(size * 1.6 * PIXELS_PER_POINT)
  const baseline = canvas.height * 0.3
  context.fillStyle = 'white'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.font = style // setting the size of a canvas resets it
  context.fillStyle = color
  context.fillText(text, 0, canvas.height - baseline)
  const base64 = canvas.toDataURL('image/jpeg', 0.92).split(',')[1] ?? ''
  return {
    jpeg: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
    pixels: { width: canvas.width, height: canvas.height },
    width: canvas.width / PIXELS_PER_POINT,
    height: canvas.height / PIXELS_PER_POINT,
    baseline: baseline / PIXELS_PER_POINT,
  }
}
