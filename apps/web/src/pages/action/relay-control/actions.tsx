import { MAX_DEVICES_PER_ORDER } from '@hes/contract/action/device-order.ts';
import type { RelayOperation } from '@hes/contract/action/relay-rules.ts';
import { relay, type RelayRow } from '@hes/contract/action/relay.ts';
import { LockKeyhole, LockKeyholeOpen, Power, ScanSearch, Unlock, Unplug, type LucideIcon } from 'lucide-react';
import { RelayDialog } from '#domain/device-orders/relay-dialog.tsx';
import { defineJointAction, type Action, type DialogProps } from '#kit/list/action.ts';
import { texts } from './messages.ts';
import { useOpenRun } from './open-order.tsx';

const batch = { most: MAX_DEVICES_PER_ORDER };
const idsOf = (rows: readonly RelayRow[]) => rows.map(({ meterId }) => meterId);

const read = defineJointAction<RelayRow, typeof relay.read>({
  key: 'read',
  label: texts.read,
  icon: ScanSearch,
  batch,
  route: relay.read,
  order: (rows) => ({ body: { meterIds: idsOf(rows) } }),
  shows: ({ taskId }) => ({ task: taskId }),
});

function order(operation: RelayOperation, icon: LucideIcon): Action<RelayRow> {
  function Dialog({ rows, onClose }: DialogProps<RelayRow>) {
    const open = useOpenRun();
    const started = (task: string) => {
      onClose();
      open(task);
    };
    return <RelayDialog operation={operation} meterIds={idsOf(rows)} onClose={onClose} onStarted={started} />;
  }
  return {
    key: operation,
    label: texts[operation],
    icon,
    batch,
    right: relay.order,
    isDanger: operation === 'disconnect',
    act: { kind: 'dialog', Dialog },
  };
}

const REASON = { label: texts.reason, max: 256, missing: texts.reasonMissing };

const protect = defineJointAction<RelayRow, typeof relay.protect>({
  key: 'protect',
  label: texts.protect,
  icon: LockKeyhole,
  when: ({ isProtected }) => !isProtected,
  batch,
  route: relay.protect,
  order: (rows, reason) => ({ body: { meterIds: idsOf(rows), isProtected: true, reason } }),
  confirm: { title: texts.protectTitle, effect: texts.protectEffect, reason: REASON },
  done: texts.protectionChanged,
});

const unprotect = defineJointAction<RelayRow, typeof relay.protect>({
  key: 'unprotect',
  label: texts.unprotect,
  icon: LockKeyholeOpen,
  when: ({ isProtected }) => isProtected,
  batch,
  route: relay.protect,
  order: (rows, reason) => ({ body: { meterIds: idsOf(rows), isProtected: false, reason } }),
  confirm: { title: texts.unprotectTitle, effect: texts.unprotectEffect, reason: REASON },
  done: texts.protectionChanged,
});

/** In the order of the menu. */
export const relayActions = [read, order('arm', Unlock), order('connect', Power), order('disconnect', Unplug), protect, unprotect];
