import { lazy } from 'react';

/* Parts that need large libraries load after the figures. */
export const PlaceMap = lazy(async () => ({ default: (await import('#domain/map/place-map.tsx')).PlaceMap }));
export const LineChart = lazy(async () => ({ default: (await import('#kit/chart/line-chart.tsx')).LineChart }));
