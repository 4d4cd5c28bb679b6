import type { Concentrator } from '#southbound/concentrator.ts';

/** A DCU that forwards requests to its meters and has nothing else that the head-end uses. */
export const plainGateway: Concentrator = {};
