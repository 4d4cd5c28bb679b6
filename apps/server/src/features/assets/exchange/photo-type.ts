const STARTS = [
  { type: 'image/jpeg', name: 'jpg', at: 0, octets: [0xff, 0xd8, 0xff] },
  { type: 'image/png', name: 'png', at: 0, octets: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: 'image/webp', name: 'webp', at: 8, octets: [0x57, 0x45, 0x42, 0x50] },
] as const;

export type PhotoType = (typeof STARTS)[number]['type'];

/** Type of a photo by its first octets, whatever its sender calls it; undefined: no photo. */
export const photoTypeOf = (file: Uint8Array) =>
  STARTS.find(({ at, octets }) => octets.every((octet, index) => file[at + index] === octet));

/** Extension of the name of a stored photo. */
export const extensionOf = (mediaType: string): string => STARTS.find(({ type }) => type === mediaType)?.name ?? 'bin';
