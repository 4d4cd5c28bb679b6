import { CHANNELS, DAILY_REGISTERS, type ChannelKey } from '@hes/contract/reading/quantities.ts';
import type { ProfileName } from '@hes/contract/reading/reading.ts';

const indexOf = (key: ChannelKey): number => CHANNELS.findIndex((channel) => channel.key === key);
export const P_AVG_PLUS_CHANNEL = indexOf('pAvgPlus');
export const U1_CHANNEL = indexOf('u1');

const byObject = new Map<string, number>(CHANNELS.flatMap((channel, index) => channel.objects.map((object) => [object, index] as const)));

/** Index of the channel of a captured object; undefined if it belongs to no channel. */
export const channelOf = (instance: string): number | undefined => byObject.get(instance);

/** Seconds between two captures, unless the meter type specifies others. */
export const DEFAULT_PERIOD_S: Record<ProfileName, number> = { lpa: 900, lpb: 900, energy: 3600 };

const dailyByObject = new Map<string, number>(DAILY_REGISTERS.map((register, index) => [register.object, index]));

/** Index of the freeze register of a captured object; undefined if it belongs to none. */
export const dailyRegisterOf = (instance: string): number | undefined => dailyByObject.get(instance);
