const MINUTE_MS = 60_000;

function offsetMsAt(instantMs: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instantMs);
  const at = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second')) - instantMs;
}

/** `+08:00` of a local time (`2026-11-24 07:31:28`) in a time zone. */
export function offsetAt(local: string, timeZone: string): string {
  const wall = Date.parse(`${local.replace(' ', 'T')}Z`);
  const offsetMs = offsetMsAt(wall - offsetMsAt(wall, timeZone), timeZone);
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
