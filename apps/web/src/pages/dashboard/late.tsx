import { lazy } from 'react';

/* Parts that need large libraries load after the figures. */
export const PlaceMap = lazy(async () => ({ default: (await import('#widgets/map/place-map.tsx')).PlaceMap }));
export const LineChart = lazy(async () => ({ default: (await import('#shared/chart/line-chart.tsx')).LineChart }));
