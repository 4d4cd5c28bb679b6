import type { AlarmRow } from '@hes/contract/alarm/alarm.ts';
import { nameText, type Text } from '@hes/contract/core/text.ts';

/** Name of the code of an alarm; without one, its log and number. */
export const codeName = ({ nameEn, nameZh, log, code }: AlarmRow): Text =>
  nameEn === null || nameZh === null ? nameText(`${log ?? ''}:${code ?? ''}`) : { en: nameEn, zh: nameZh };
