import { MAX_PHASES_AT_ONCE, phase, type PhaseRow } from '@hes/contract/analysis/phase.ts';
import { fill, joinTexts, nameText } from '@hes/contract/core/text.ts';
import { to } from '@hes/contract/page/links.ts';
import { reading } from '@hes/contract/reading/reading.ts';
import { BookMarked, Check, Gauge, Send } from 'lucide-react';
import { defineJointAction } from '#kit/list/action.ts';
import { openAction } from '#kit/list/usual-actions.tsx';
import { texts } from './messages.ts';

const meterIdsOf = (rows: readonly PhaseRow[]) => ({ body: { meterIds: rows.map(({ meterId }) => meterId) } });

/** Written in the head-end, but not yet dispatched to the DCU. */
export const isToSend = ({ state, awaitsDispatch }: PhaseRow): boolean => state === 'written' && awaitsDispatch;

const accept = defineJointAction<PhaseRow, typeof phase.accept>({
  key: 'accept',
  label: texts.accept,
  icon: Check,
  route: phase.accept,
  when: ({ state }) => state === 'proposed',
  batch: { most: MAX_PHASES_AT_ONCE, none: texts.nothingToAccept },
  order: meterIdsOf,
  done: ({ accepted }) => fill(texts.accepted, { count: accepted }),
});

const write = defineJointAction<PhaseRow, typeof phase.write>({
  key: 'write',
  label: texts.write,
  icon: BookMarked,
  route: phase.write,
  when: ({ state }) => state === 'accepted',
  batch: { most: MAX_PHASES_AT_ONCE, none: texts.nothingToWrite },
  order: meterIdsOf,
  done: ({ written, dcus }) => {
    const title = fill(texts.written, { count: written });
    if (dcus.length === 0) return title;
    const links = dcus.map(({ id, sn, meters }) => ({ label: nameText(`${sn} (${meters})`), to: to.archives({ dcuId: id }) }));
    return { title, hint: texts.dispatchHint, links, isLasting: true };
  },
});

const send = defineJointAction<PhaseRow, typeof phase.send>({
  key: 'send',
  label: texts.send,
  icon: Send,
  route: phase.send,
  when: isToSend,
  batch: { most: MAX_PHASES_AT_ONCE, none: texts.nothingToSend },
  order: meterIdsOf,
  done: ({ tasks, busy }) => ({
    title: fill(texts.sent, { meters: tasks.reduce((sum, { meters }) => sum + meters, 0), dcus: tasks.length }),
    ...(busy.length > 0 ? { hint: fill(texts.sendBusy, { sns: busy.join(', ') }) } : {}),
    links: tasks.map(({ dcuId, dcuSn }) => ({
      label: joinTexts([texts.openTask, nameText(dcuSn)], nameText(' ')),
      to: to.archives({ dcuId }),
    })),
  }),
});

const readings = openAction<PhaseRow>({ key: 'readings', label: texts.openReadings, icon: Gauge, right: reading.profile }, ({ meterId }) =>
  to.readings({ tab: 'lpb', view: 'chart', node: `meter:${meterId}` }),
);

/** In the order of the menu. */
export const phaseActions = [accept, write, send, readings];
