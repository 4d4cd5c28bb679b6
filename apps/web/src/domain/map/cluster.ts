interface Spotted {
  longitude: number;
  latitude: number;
}

const TILE_PX = 256;
const MOST_LATITUDE = 85;

/** Pixels of the Web Mercator projection of the map at a zoom. */
function pixelOf({ longitude, latitude }: Spotted, zoom: number): { x: number; y: number } {
  const size = TILE_PX * 2 ** zoom;
  const sine = Math.sin((Math.max(-MOST_LATITUDE, Math.min(MOST_LATITUDE, latitude)) * Math.PI) / 180);
  return { x: size * (longitude / 360 + 0.5), y: size * (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) };
}

/**
 * Joins markers that would overlap at a zoom, until none does. `join` merges two, `sizeOf` is the diameter of a marker in pixels. The order of
 * the markers is kept, so that equal markers and zooms give equal clusters.
 */
export function clusterAt<T extends Spotted>(
  markers: readonly T[],
  zoom: number,
  { join, sizeOf }: { join(a: T, b: T): T; sizeOf(marker: T): number },
): T[] {
  let clusters = [...markers];
  for (;;) {
    const next: T[] = [];
    for (const marker of clusters) {
      const own = pixelOf(marker, zoom);
      const radius = sizeOf(marker) / 2;
      const at = next.findIndex((other) => {
        const { x, y } = pixelOf(other, zoom);
        return Math.hypot(x - own.x, y - own.y) < radius + sizeOf(other) / 2;
      });
      const near = next[at];
      if (near === undefined) next.push(marker);
      else next[at] = join(near, marker);
    }
    if (next.length === clusters.length) return next;
    clusters = next;
  }
}
