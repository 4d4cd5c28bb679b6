/** The objects that each page of the console needs from a DCU, by the keys of its profile. */
export const PAGE_NEEDS = {
  '/assets/dcu': ['LDN', 'SN', 'FWID', 'CLOCK'],
  '/assets/archives-dispatch': ['ARRAYS', 'ARCHIVE'],
  '/assets/meter-asset-discovery': ['ARRAYS', 'DISCOVERED', 'SCRIPTS_DCU'],
  '/meter-management/network/network-topology': ['ARRAYS', 'TOPOLOGY'],
  '/action/clock-synchronization': ['CLOCK'],
  '/action/dcu-configuration': ['PUSH', 'TCP_UDP'],
  '/action/event-reading': ['EVLOG0'],
  '/system/upgrade/firmware-upgrade': ['IMAGE'],
  '/system/debug/dcu-log-management': ['FRAME_LOG'],
  '/system/debug/sta-model': ['ARRAYS', 'MODULES'],
} as const;

/** The keys that a page needs and the DCU lacks. */
export const lacking = (page: keyof typeof PAGE_NEEDS, present: ReadonlySet<string>): string[] =>
  PAGE_NEEDS[page].filter((key) => !present.has(key));
