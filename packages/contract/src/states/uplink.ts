import { z } from 'zod';
import { instant } from '../core/page.ts';
import type { Text } from '../core/text.ts';

/** Registration of a DCU's modem in the mobile network. */
export const registration = z.enum(['not_registered', 'registered_home', 'searching', 'denied', 'unknown', 'registered_roaming']);
export type Registration = z.infer<typeof registration>;

export const REGISTRATION_TEXT: Record<Registration, Text> = {
  not_registered: { en: 'Not registered', zh: '未注册' },
  registered_home: { en: 'Registered', zh: '已注册' },
  searching: { en: 'Searching', zh: '搜索网络' },
  denied: { en: 'Denied', zh: '注册被拒' },
  unknown: { en: 'Not known', zh: '未知' },
  registered_roaming: { en: 'Registered, roaming', zh: '已注册（漫游）' },
};

export const packetService = z.enum(['inactive', 'gprs', 'edge', 'umts', 'hsdpa', 'lte', 'cdma']);
export type PacketService = z.infer<typeof packetService>;

export const PACKET_SERVICE_TEXT: Record<PacketService, Text> = {
  inactive: { en: 'None', zh: '无' },
  gprs: { en: 'GPRS (2G)', zh: 'GPRS（2G）' },
  edge: { en: 'EDGE (2G)', zh: 'EDGE（2G）' },
  umts: { en: 'UMTS (3G)', zh: 'UMTS（3G）' },
  hsdpa: { en: 'HSDPA (3G)', zh: 'HSDPA（3G）' },
  lte: { en: 'LTE (4G)', zh: 'LTE（4G）' },
  cdma: { en: 'CDMA', zh: 'CDMA' },
};

/** Texts for DCUs connected by wire, and for those without modem data. */
export const NO_MODEM: Text = { en: 'No modem', zh: '无通信模块' };

/** Bit error rate in percent by RXQUAL step of the modem. @spec 3GPP TS 45.008 8.2.4 */
export const BIT_ERRORS_PERCENT = ['< 0.2', '0.2–0.4', '0.4–0.8', '0.8–1.6', '1.6–3.2', '3.2–6.4', '6.4–12.8', '> 12.8'] as const;

/** Data of a DCU's modem. Null: not reported, or reported as unknown. */
export const uplinkReading = z.object({
  readAt: instant,
  /** False: the DCU has no modem object, so the following fields are null. */
  hasModem: z.boolean(),
  signalDbm: z.number().int().nullable(),
  /** Index into `BIT_ERRORS_PERCENT`. */
  bitErrorStep: z.number().int().min(0).max(7).nullable(),
  operator: z.string().nullable(),
  registration: registration.nullable(),
  packetService: packetService.nullable(),
  cellId: z.number().int().nullable(),
  locationId: z.number().int().nullable(),
  /** Mobile country and network codes, such as `999-01`. */
  network: z.string().nullable(),
  /** Time of the measurement by the DCU's clock. */
  measuredAt: instant.nullable(),
});
export type UplinkReading = z.infer<typeof uplinkReading>;
