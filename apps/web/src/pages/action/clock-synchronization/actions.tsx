import { clock, type ClockOperation, type ClockRow } from '@hes/contract/action/clock.ts';
import { MAX_DEVICES_PER_ORDER, type DeviceRef } from '@hes/contract/action/device-order.ts';
import { needsConfirmation } from '@hes/contract/states/clock.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { Clock, RadioTower, ScanSearch, type LucideIcon } from 'lucide-react';
import { useUrl } from '#core/url/use-url.ts';
import { defineJointAction, type Action, type DialogProps } from '#kit/list/action.ts';
import { texts } from './messages.ts';
import { ClockDialog } from '#domain/device-orders/clock-dialog.tsx';
import { useThresholds } from '#domain/states/thresholds.ts';

const batch = { most: MAX_DEVICES_PER_ORDER };
const refsOf = (rows: readonly ClockRow[]): DeviceRef[] => rows.map(({ deviceKind, deviceId }) => ({ kind: deviceKind, id: deviceId }));

const read = defineJointAction<ClockRow, typeof clock.order>({
  key: 'read',
  label: texts.readClock,
  icon: ScanSearch,
  batch,
  route: clock.order,
  order: (rows) => ({ body: { devices: refsOf(rows), operation: 'read' } }),
  shows: ({ taskId }) => ({ task: taskId }),
});

function order(operation: Exclude<ClockOperation, 'read'>, icon: LucideIcon): Action<ClockRow> {
  function Dialog({ rows, onClose }: DialogProps<ClockRow>) {
    const limits = useThresholds();
    const [, setUrl] = useUrl(PAGE_WORDS.clocks);
    const jumping = rows.filter((row) => row.class !== 'unknown' && needsConfirmation(row.class)).length;
    const started = (task: string) => {
      onClose();
      setUrl({ task });
    };
    return (
      <ClockDialog
        operation={operation}
        devices={refsOf(rows)}
        jumping={jumping}
        limitS={limits.clockSetS}
        onClose={onClose}
        onStarted={started}
      />
    );
  }
  return { key: operation, label: texts[operation], icon, batch, right: clock.order, act: { kind: 'dialog', Dialog } };
}

/** In the order of the menu. */
export const clockActions = [read, order('broadcast', RadioTower), order('sync', Clock)];
