/** Indices of every fourth full hour on an axis of wall times, and of the end of the day. */
export const dayTicks = (times: readonly string[]): number[] => [
  ...times.flatMap((time, place) => (/^(?:00|04|08|12|16|20):00$/.test(time) ? [place] : [])),
  times.length,
];
