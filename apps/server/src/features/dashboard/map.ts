import type { ResponseOf } from '@hes/contract/core/route.ts';
import type { dashboard, MapBox } from '@hes/contract/dashboard/summary.ts';
import type { Freshness } from '@hes/contract/states/device.ts';
import { countFleet } from '#db/fleet-count.ts';
import type { Db, User } from '#db/context.ts';
import { findDcuSns, findPlaces, noFreshness } from './queries.ts';

type MapItem = ResponseOf<typeof dashboard.map>['items'][number];
type Place = Awaited<ReturnType<typeof findPlaces>>[number];

/** Maximum number of dots that a browser draws within a frame. */
const MOST_DOTS = 400;
/** Maximum number of cells across the map, so that dots do not overlap in a small window. */
const CELLS_ACROSS = 12;

async function freshnessByTransformer(db: Db): Promise<Map<string, Record<Freshness, number>>> {
  const found = new Map<string, Record<Freshness, number>>();
  for (const { transformerId, freshness, meters } of await countFleet(db)) {
    if (transformerId === null) continue;
    const counts = found.get(transformerId) ?? noFreshness();
    counts[freshness] += meters;
    found.set(transformerId, counts);
  }
  return found;
}

/** Groups places by cells whose size is a power of two and whose position is fixed, so that groups stay while the map moves. */
function cellsOf(places: readonly Place[]): Place[][] {
  if (places.length <= MOST_DOTS) return places.map((place) => [place]);
  const extent = (of: (place: Place) => number) => {
    const values = places.map(of);
    return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  };
  const widest = Math.max(
    extent((place) => place.longitude),
    extent((place) => place.latitude),
  );
  const degrees = 2 ** Math.ceil(Math.log2(widest / CELLS_ACROSS));
  const cellOf = ({ longitude, latitude }: Place) => `${Math.floor(longitude / degrees)},${Math.floor(latitude / degrees)}`;
  return [...Map.groupBy(places, cellOf).values()];
}

function toItem(cell: readonly Place[], fresh: Map<string, Record<Freshness, number>>): MapItem | undefined {
  const [first] = cell;
  if (first === undefined) return undefined;
  const freshness = noFreshness();
  for (const { id } of cell) for (const [key, count] of Object.entries(fresh.get(id) ?? {})) freshness[key as Freshness] += count; // as: keys of a record by freshness
  const mean = (of: (place: Place) => number) => cell.reduce((sum, place) => sum + of(place), 0) / cell.length;
  return {
    transformerId: cell.length === 1 ? first.id : null,
    transformers: cell.length,
    name: first.name,
    levelName: cell.every((place) => place.levelName === first.levelName) ? first.levelName : null,
    longitude: mean((place) => place.longitude),
    latitude: mean((place) => place.latitude),
    meters: Object.values(freshness).reduce((sum, count) => sum + count, 0),
    freshness,
    dcuSns: [],
  };
}

/** Dots of a view of the dashboard map, at most `MOST_DOTS`. */
export async function findMapItems(db: Db, user: User, box: MapBox | undefined): Promise<MapItem[]> {
  const [places, fresh] = await Promise.all([findPlaces(db, user, box), freshnessByTransformer(db)]);
  const items = cellsOf(places).flatMap((cell) => toItem(cell, fresh) ?? []);
  const sns = await findDcuSns(
    db,
    items.flatMap(({ transformerId }) => transformerId ?? []),
  );
  return items.map((item) => ({ ...item, dcuSns: sns.get(item.transformerId ?? '') ?? [] }));
}
