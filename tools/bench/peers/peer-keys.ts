/** Keys of the meter; the programs of the peers contain the same. */
export const KEYS = { ek: '000102030405060708090A0B0C0D0E0F', ak: 'D0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF' } as const;
