import { z } from 'zod';
import { day } from '../core/page.ts';
import { eventLog } from '../states/event.ts';
import { defineOrder, readingWords } from './define-order.ts';
import { PAGE_PATH } from '../page/paths.ts';

export const eventOrders = {
  events: defineOrder({
    target: 'device',
    params: {
      /** Absent: every log of a meter. */
      logs: z.array(eventLog).optional(),
      /** Days, or the newest entries of each log; without both, the entries since the last reading. */
      from: day.optional(),
      to: day.optional(),
      last: z.number().int().optional(),
      lookBackDays: z.number().optional(),
      /** `push`: an alarm of the device made the server read its logs. */
      source: z.literal('push').optional(),
    },
    result: ['events'],
    priority: 3,
    changesDevice: false,
    // A meter always has logs, and its items are not concerned.
    needs: 'event_log',
    mayRepeat: true,
    page: PAGE_PATH.eventReading,
    words: readingWords('Event reading', '事件抄读'),
  }),
};
