import { PAGE_PATH } from '@hes/contract/page/paths.ts';

/** The objects that each page of the console needs from a DCU, by the keys of its profile. */
export const PAGE_NEEDS = {
  [PAGE_PATH.dcus]: ['LDN', 'SN', 'FWID', 'CLOCK'],
  [PAGE_PATH.archives]: ['ARRAYS', 'ARCHIVE'],
  [PAGE_PATH.meterAssets]: ['ARRAYS', 'DISCOVERED', 'SCRIPTS_DCU'],
  [PAGE_PATH.topology]: ['ARRAYS', 'TOPOLOGY'],
  [PAGE_PATH.clocks]: ['CLOCK'],
  [PAGE_PATH.dcuConfiguration]: ['PUSH', 'TCP_UDP'],
  [PAGE_PATH.eventReading]: ['EVLOG0'],
  [PAGE_PATH.upgrades]: ['IMAGE'],
  [PAGE_PATH.dcuLog]: ['FRAME_LOG'],
  [PAGE_PATH.stations]: ['ARRAYS', 'MODULES'],
} as const;

/** The keys that a page needs and the DCU lacks. */
export const lacking = (page: keyof typeof PAGE_NEEDS, present: ReadonlySet<string>): string[] =>
  PAGE_NEEDS[page].filter((key) => !present.has(key));
