import { lazy } from 'react';

/* What draws with a library of its own comes after the figures: numbers and frames are there before maps and curves are. */
export const PlaceMap = lazy(async () => ({ default: (await import('#widgets/map/place-map.tsx')).PlaceMap }));
export const LineChart = lazy(async () => ({ default: (await import('#shared/chart/line-chart.tsx')).LineChart }));
