/** The largest size of a picture, and its file type. */
export interface PictureLimits {
  width: number;
  height: number;
  type: 'image/jpeg' | 'image/png';
}

const JPEG_QUALITY = 0.8;

/** Returns the size of a picture inside a box. A smaller picture keeps its size. */
export function sizeInside(
  picture: { width: number; height: number },
  box: { width: number; height: number },
): { width: number; height: number } {
  const scale = Math.min(1, box.width / picture.width, box.height / picture.height);
  return {
    width: Math.max(1, Math.round(picture.width * scale)),
    height: Math.max(1, Math.round(picture.height * scale)),
  };
}

/**
 * Scales a picture down and returns it as `data:` URL, so that a photograph of several megabytes
 * need not be sent. Rejects for a file that is no picture.
 */
export async function scaledPicture(file: File, limits: PictureLimits): Promise<string> {
  const picture = await createImageBitmap(file);
  const { width, height } = sizeInside(picture, limits);
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser draws no pictures');
  context.drawImage(picture, 0, 0, width, height);
  picture.close();
  return canvas.toDataURL(limits.type, JPEG_QUALITY);
}
