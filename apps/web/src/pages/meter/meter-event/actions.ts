import { to } from '@hes/contract/page/links.ts';
import { eventRead } from '@hes/contract/action/event-read.ts';
import { event, MAX_EVENTS_AT_ONCE, MAX_INCIDENTS_AT_ONCE, type EventRow, type IncidentRow } from '@hes/contract/event/event.ts';
import { reading } from '@hes/contract/reading/reading.ts';
import { BellOff, Check, FileClock, Gauge, ListTree, Tag } from 'lucide-react';
import { defineJointAction, type Action } from '#kit/list/action.ts';
import { openAction } from '#kit/list/usual-actions.tsx';
import { NameCode } from './catalogue.tsx';
import { MuteDialog } from './mute-dialog.tsx';
import { isOpen, texts } from './texts.ts';

const ACKNOWLEDGE = {
  key: 'acknowledge',
  label: texts.acknowledge,
  icon: Check,
  route: event.acknowledge,
  done: texts.acknowledgedCount,
} as const;

const mute: Action<EventRow> = {
  key: 'mute',
  label: texts.mute,
  icon: BellOff,
  right: event.mute,
  when: ({ isMuted, dcuId }) => !isMuted && dcuId !== null,
  act: { kind: 'dialog', Dialog: MuteDialog },
};

const name: Action<EventRow> = {
  key: 'name',
  label: texts.nameCode,
  icon: Tag,
  right: event.saveCode,
  when: ({ nameEn }) => nameEn === null,
  act: { kind: 'dialog', Dialog: NameCode },
};

export const eventActions: readonly Action<EventRow>[] = [
  defineJointAction<EventRow, typeof event.acknowledge>({
    ...ACKNOWLEDGE,
    when: isOpen,
    batch: { most: MAX_EVENTS_AT_ONCE },
    order: (rows) => ({ body: { ids: rows.map(({ id }) => id) } }),
  }),
  mute,
  name,
  {
    ...openAction<EventRow>({ key: 'read', label: texts.readNow, icon: FileClock, right: eventRead.order }, ({ meterId, dcuId }) =>
      to.eventReading({ targets: meterId === null ? `dcu:${dcuId}` : `meter:${meterId}` }),
    ),
    when: ({ dcuId }) => dcuId !== null,
  },
  {
    ...openAction<EventRow>({ key: 'meter', label: texts.openMeter, icon: Gauge, right: reading.daily }, ({ meterId }) =>
      to.readings({ node: `meter:${meterId}` }),
    ),
    when: ({ meterId }) => meterId !== null,
  },
];

/** Acknowledges all members of incidents. */
export const acknowledgeCauses = defineJointAction<IncidentRow, typeof event.acknowledge>({
  ...ACKNOWLEDGE,
  when: ({ abnormalLevel, acknowledged, members }) => abnormalLevel !== null && acknowledged < members,
  batch: { most: MAX_INCIDENTS_AT_ONCE },
  order: (rows) => ({ body: { incidentIds: rows.map(({ id }) => id) } }),
});

/** Lists the members of an incident as events. */
export const showMembers: Action<IncidentRow> = {
  key: 'members',
  label: texts.showMembers,
  icon: ListTree,
  right: event.list,
  act: { kind: 'show', change: ({ id }) => ({ view: undefined, page: undefined, sort: undefined, incidentId: id }) },
};
