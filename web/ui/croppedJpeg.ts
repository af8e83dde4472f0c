import { PICTURE_MAX_LENGTH } from '#contract/office/office.ts'

const MAX_FILE_BYTES = 10_000_000
/** Tried in turn, until the picture is small enough to be sent. */
const QUALITIES = [0.88, 0.75, 0.6, 0.4, 0.2]

/** A problem with the chosen file, as a sentence for whoever chose it. */
export class UnusableFile extends Error {}

/**
 * The middle of a picture as a JPEG of this size, in base64. Redrawing it leaves behind everything but the pixels, such as
 * where and when the picture was taken.
 */
export async function croppedJpeg(file: File, width: number, height: number): Promise<string> {
  if (file.size > MAX_FILE_BYTES) throw new UnusableFile('This file is larger than 10 MB. Please choose a smaller one.')
  const image = await createImageBitmap(file).catch((cause: unknown) => {
    throw new UnusableFile('Your browser can’t open this file. Please choose a PNG, JPEG or WebP picture.', { cause })
  })
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser has no canvas.')
  context.fillStyle = 'white' // behind transparent pictures
  context.fillRect(0, 0, width, height)
  context.imageSmoothingQuality = 'high'
  const scale = Math.min(image.width / width, image.height / height)
  const [w, h] = [width * scale, height * scale]
  context.drawImage(image, (image.width - w) / 2, (image.height - h) / 2, w, h, 0, 0, width, height)
  image.close()
  for (const quality of QUALITIES) {
    const picture = canvas.toDataURL('image/jpeg', quality).split(',')[1] ?? ''
    if (picture && picture.length <= PICTURE_MAX_LENGTH) return picture
  }
  throw new UnusableFile('This picture has too many details. Please choose another one.')
}
