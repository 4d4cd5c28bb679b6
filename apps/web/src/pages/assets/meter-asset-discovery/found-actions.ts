import { discovery, MAX_FOUND_AT_ONCE, type DiscoveredRow } from '@hes/contract/asset/discovery.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import type { DiscoveryMatch } from '@hes/contract/states/discovery.ts';
import { ArrowLeftRight, ArrowRightLeft, BellOff, IdCard, Link, ListPlus } from 'lucide-react';
import { call } from '#core/api/client.ts';
import { defineJointAction, type Action } from '#kit/list/action.ts';
import { AddAndBind, IdentifyRun, Ignore, Successor } from './decisions.tsx';
import { texts } from './texts.ts';

const BATCH = { most: MAX_FOUND_AT_ONCE, refusal: texts.selectValid, isOnPage: true };
const BOUND: ReadonlySet<DiscoveryMatch> = new Set(['bound_here', 'bound_elsewhere', 'duplicate']);

const isOneOf =
  (...matches: DiscoveryMatch[]) =>
  ({ match }: DiscoveredRow): boolean =>
    matches.includes(match);
const idsOf = (rows: readonly DiscoveredRow[]): string[] => rows.map(({ id }) => id);

/** Shown for bound meters too, with the reason why they cannot be bound. */
const bindable = (...matches: DiscoveryMatch[]): Pick<Action<DiscoveredRow>, 'when' | 'refusedBy'> => ({
  when: ({ match }) => matches.includes(match) || BOUND.has(match),
  refusedBy: ({ match }) => (BOUND.has(match) ? texts.alreadyBound : undefined),
});

/** Decisions about discovered meters, each for the matches that it fits. */
export const foundActions: readonly Action<DiscoveredRow>[] = [
  {
    key: 'add_bind',
    label: texts.addBind,
    icon: ListPlus,
    right: discovery.adopt,
    ...bindable('unknown', 'ignored'),
    batch: BATCH,
    act: { kind: 'dialog', Dialog: AddAndBind },
  },
  defineJointAction<DiscoveredRow, typeof discovery.adopt>({
    key: 'bind',
    label: texts.bind,
    icon: Link,
    route: discovery.adopt,
    ...bindable('in_warehouse'),
    batch: BATCH,
    order: (rows) => ({ body: { action: 'bind', ids: idsOf(rows) } }),
    done: texts.decided,
  }),
  {
    key: 'replace',
    label: texts.replaces,
    icon: ArrowLeftRight,
    right: meter.replace,
    when: (row, { may }) => may(meter.create) && isOneOf('unknown', 'in_warehouse')(row),
    batch: { ...BATCH, most: 1 },
    act: { kind: 'dialog', Dialog: Successor },
  },
  defineJointAction<DiscoveredRow, typeof discovery.adopt>({
    key: 'move',
    label: texts.move,
    icon: ArrowRightLeft,
    route: discovery.adopt,
    when: isOneOf('bound_elsewhere', 'duplicate'),
    batch: BATCH,
    order: (rows) => ({ body: { action: 'move', ids: idsOf(rows) } }),
    confirm: { title: texts.moveTitle, effect: texts.moveEffect },
    done: texts.decided,
  }),
  {
    key: 'identify',
    label: texts.identify,
    icon: IdCard,
    right: discovery.adopt,
    batch: BATCH,
    act: {
      kind: 'task',
      start: async (rows) => {
        const answer = await call(discovery.adopt, { body: { action: 'identify', ids: idsOf(rows) } });
        return answer.ok ? { ok: true, data: { taskId: answer.data.taskId ?? '' } } : answer;
      },
      Run: IdentifyRun,
    },
  },
  {
    key: 'ignore',
    label: texts.ignore,
    icon: BellOff,
    right: discovery.adopt,
    when: isOneOf('unknown', 'in_warehouse', 'bound_elsewhere', 'duplicate'),
    batch: BATCH,
    act: { kind: 'dialog', Dialog: Ignore },
  },
];
