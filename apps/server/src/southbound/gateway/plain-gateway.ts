import type { DcuParts } from '#southbound/dcu-parts.ts';

/** A DCU that forwards requests to its meters and has nothing else that the head-end uses. */
export const plainGateway: DcuParts = {};
