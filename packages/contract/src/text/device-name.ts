import type { Text } from '../core/text.ts';
import { COMMUNICATION_MODE_TEXT } from './device-text.ts';

/** Serial numbers in a row about a device; `dcuSn` is null for a direct meter, which has no DCU. */
interface DeviceRow {
  meterSn: string | null;
  dcuSn: string | null;
}

/** Serial number of the device itself. */
export const deviceSn = ({ meterSn, dcuSn }: DeviceRow): string => meterSn ?? dcuSn ?? '';

/** The serial number of the DCU, or the word for a direct meter. */
export const dcuName = ({ dcuSn }: Pick<DeviceRow, 'dcuSn'>, say: (text: Text) => string): string =>
  dcuSn ?? say(COMMUNICATION_MODE_TEXT.direct);
