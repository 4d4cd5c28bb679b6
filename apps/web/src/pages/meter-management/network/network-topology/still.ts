import type { View } from './scene.ts';

/** A bitmap of the drawing, and the view it was drawn from. */
export interface Still {
  image: OffscreenCanvas;
  view: View;
}

export function stillOf(drawn: HTMLCanvasElement, view: View): Still {
  const image = new OffscreenCanvas(drawn.width, drawn.height);
  image.getContext('2d')?.drawImage(drawn, 0, 0);
  return { image, view };
}

/** Draws the bitmap under another view; the cost does not depend on the number of stations. */
export function paintStill(to: CanvasRenderingContext2D, { image, view: from }: Still, view: View): void {
  const by = view.scale / from.scale;
  to.setTransform(1, 0, 0, 1, 0, 0);
  to.clearRect(0, 0, image.width, image.height);
  to.setTransform(by, 0, 0, by, (view.x - from.x * by) * devicePixelRatio, (view.y - from.y * by) * devicePixelRatio);
  to.drawImage(image, 0, 0);
}
