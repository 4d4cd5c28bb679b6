import { RULES } from '@hes/contract/core/rules.ts';
import { z } from 'zod';
import { numberCell, optionalCell } from './cells.ts';

/** Columns of a geographic position. Either both are filled or none. */
export const positionColumns = {
  longitude: {
    label: { en: 'Longitude', zh: '经度' },
    schema: optionalCell(numberCell(z.number().min(-180, RULES.longitude.en).max(180, RULES.longitude.en))),
    example: '120.844320',
  },
  latitude: {
    label: { en: 'Latitude', zh: '纬度' },
    schema: optionalCell(numberCell(z.number().min(-90, RULES.latitude.en).max(90, RULES.latitude.en))),
    example: '31.368527',
  },
};
