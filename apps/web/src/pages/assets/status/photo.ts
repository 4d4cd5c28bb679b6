/** Longer side of a stored photo, in pixels: the figures of a display stay readable. */
const MOST_PX = 1600;
const QUALITY = 0.8;

/** Size of a picture whose longer side is at most `most`. */
function fitted({ width, height }: { width: number; height: number }, most = MOST_PX): { width: number; height: number } {
  const k = Math.min(1, most / Math.max(width, height));
  return { width: Math.round(width * k), height: Math.round(height * k) };
}

/** A photo as JPEG, made smaller and drawn again, so that place and time of the camera are not in it. Rejects for files that are no picture. */
export async function asJpeg(file: Blob): Promise<Uint8Array> {
  const picture = await createImageBitmap(file);
  try {
    const { width, height } = fitted(picture);
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext('2d')?.drawImage(picture, 0, 0, width, height);
    return new Uint8Array(await (await canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY })).arrayBuffer());
  } finally {
    picture.close();
  }
}
