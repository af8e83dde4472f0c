import { LOGO_MAX_BYTES } from '#contract/console/brand.ts'
import { UnusableFile } from '#web/ui/croppedJpeg.ts'

/** Sharp at any size that our pages show. */
const SIDES = [192, 128, 96]
const TOO_LARGE = 'This file is too large. A logo has at most 40 kB.'

/** A chosen file in base64: an SVG as it is, any other picture redrawn as a square PNG. The server checks both. */
export async function logoFile(file: File): Promise<string> {
  if (file.type === 'image/svg+xml') {
    if (file.size > LOGO_MAX_BYTES) throw new UnusableFile(TOO_LARGE)
    return toBase64(new Uint8Array(await file.arrayBuffer()))
  }
  const image = await createImageBitmap(file).catch((cause: unknown) => {
    throw new UnusableFile('Your browser can’t open this file. Please choose an SVG, PNG, JPEG or WebP file.', {
      cause,
    })
  })
  for (const side of SIDES) {
    const logo = drawSquare(image, side)
    if (logo.length <= (LOGO_MAX_BYTES * 4) / 3) return logo
  }
  throw new UnusableFile(TOO_LARGE)
}

function drawSquare(image: ImageBitmap, side: number): string {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = side
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser has no canvas.')
  context.imageSmoothingQuality = 'high'
  const scale = side / Math.max(image.width, image.height)
  const [width, height] = [image.width * scale, image.height * scale]
  context.drawImage(image, (side - width) / 2, (side - height) / 2, width, height)
  return canvas.toDataURL('image/png').split(',')[1] ?? ''
}

const toBase64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
