import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { CLOCK_COLUMN } from '@hes/dlms/cosem/selective-access.ts';
import type { MeterEvent } from '#world/events.ts';
import type { LocalTime } from '#world/local-time.ts';
import type { Held, Profile } from './profile.ts';
import { createClockWriter, writeNumber, writeRowHead } from './row-writer.ts';

const CAPACITY = 500;

/** A log of moments and event codes. */
export function eventLog(codeColumn: CaptureObject, local: LocalTime, eventsHeld: () => readonly MeterEvent[]): Profile {
  let events: readonly MeterEvent[] = [];
  return {
    columns: [CLOCK_COLUMN, codeColumn],
    capturePeriodSeconds: 0,
    capacity: CAPACITY,
    held() {
      events = eventsHeld().slice(-CAPACITY);
      return heldOf(events);
    },
    writeRows(out, _held, from, to, chosen) {
      const writeClock = createClockWriter(local);
      for (const event of events.slice(from, to)) {
        writeRowHead(out, chosen.length);
        for (const index of chosen) {
          if (index === 0) writeClock(out, event.at);
          else writeNumber(out, 'u8', event.code);
        }
      }
    },
  };
}

function heldOf(events: readonly MeterEvent[]): Held {
  return {
    count: events.length,
    at: (position) => events[position]?.at ?? 0,
    firstAt(moment) {
      const found = events.findIndex((event) => event.at >= moment);
      return found < 0 ? events.length : found;
    },
  };
}
