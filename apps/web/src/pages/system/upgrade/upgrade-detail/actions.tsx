import { UPGRADE_ENDS, UPGRADE_FAILURES } from '@hes/contract/states/upgrade.ts';
import { MAX_RECORDS_PER_ORDER, upgradeRecord as routes, type UpgradeRecordRow } from '@hes/contract/upgrade/record.ts';
import { CirclePlay, RotateCcw, SkipForward, Square } from 'lucide-react';
import { defineJointAction, type Action, type DialogProps } from '#kit/list/action.ts';
import { texts } from './messages.ts';
import { RetryDialog } from './retry-dialog.tsx';

const BATCH = { most: MAX_RECORDS_PER_ORDER };
const REASON = { label: texts.reason, max: 256, missing: texts.reasonMissing };
const hasFailed = ({ status }: UpgradeRecordRow) => UPGRADE_FAILURES.includes(status);
const idsOf = (rows: readonly UpgradeRecordRow[]) => rows.map(({ id }) => id);

/** Retries devices with a choice of the first block and of the window. */
const RetryRows = ({ rows, onDone, onClose }: DialogProps<UpgradeRecordRow>) => (
  <RetryDialog of={{ ids: idsOf(rows) }} count={rows.length} onDone={() => onDone()} onClose={onClose} />
);

/** Actions on devices of an upgrade, each for the states that it fits. */
export const recordActions: readonly Action<UpgradeRecordRow>[] = [
  defineJointAction<UpgradeRecordRow, typeof routes.retry>({
    key: 'retry',
    label: texts.retry,
    icon: CirclePlay,
    route: routes.retry,
    when: hasFailed,
    batch: BATCH,
    order: (rows) => ({ body: { ids: idsOf(rows), from: 'resume' } }),
    done: texts.ordered,
  }),
  {
    key: 'retry-options',
    label: texts.retryOptions,
    icon: RotateCcw,
    right: routes.retry,
    when: hasFailed,
    batch: BATCH,
    act: { kind: 'dialog', Dialog: RetryRows },
  },
  defineJointAction<UpgradeRecordRow, typeof routes.skip>({
    key: 'skip',
    label: texts.skip,
    icon: SkipForward,
    route: routes.skip,
    when: ({ status }) => status === 'idle',
    batch: BATCH,
    order: (rows, reason) => ({ body: { ids: idsOf(rows), reason } }),
    confirm: { title: texts.skipTitle, effect: texts.skipHint, reason: REASON },
    done: texts.ordered,
  }),
  defineJointAction<UpgradeRecordRow, typeof routes.stop>({
    key: 'stop',
    label: texts.stop,
    icon: Square,
    isDanger: true,
    route: routes.stop,
    when: ({ status }) => status !== 'idle' && !UPGRADE_ENDS.includes(status),
    batch: BATCH,
    order: (rows, reason) => ({ body: { ids: idsOf(rows), reason } }),
    confirm: { title: texts.stopTitle, effect: texts.stopHint, reason: REASON },
    done: texts.ordered,
  }),
];
