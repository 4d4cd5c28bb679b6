import { archive } from '@hes/contract/asset/archive.ts';
import { MAX_METERS_AT_ONCE, meter, type AssetRow } from '@hes/contract/asset/meter.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { App, Button } from 'antd';
import { Barcode, Cable, Star, Tag, Trash2, Warehouse } from 'lucide-react';
import { useApiMutation } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useModelName } from '#shared/i18n/model-name.tsx';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { SelectionBar, type Selection } from '#shared/table/selection.tsx';
import type { Take } from '#shared/table/use-take.ts';
import { someOf } from '#shared/ui/some-of.ts';
import { printLabels } from '#widgets/sn-labels/print-labels.ts';
import type { AssetDialog } from './asset-actions.tsx';
import { texts } from './texts.ts';

interface AssetBatchBarProps {
  selection: Selection<AssetRow>;
  total: number;
  /** The filter shows only master meters, so that "all" contains no others, even unloaded ones. */
  onlyMasters: boolean;
  take: Take<AssetRow>;
  onDialog: (dialog: AssetDialog) => void;
  /** Called after meters were changed. */
  onChanged: () => void;
}

/** Actions for several meters. */
export function AssetBatchBar({ selection, total, onlyMasters, take, onDialog, onChanged }: AssetBatchBarProps) {
  const t = useMessages(texts);
  const called = useModelName();
  const may = useMay();
  const { message } = App.useApp();
  const master = useApiMutation(meter.setMaster, {
    success: ({ changed }) => {
      void message.success(t('changed', { count: changed }));
      onChanged();
    },
    failure: (error) => void message.error(error.message, 0),
  });
  const areMasters = selection.isAll ? onlyMasters : [...selection.chosen.values()].every((row) => row.isMaster);
  const bind = (meters: AssetRow[]) => {
    const taken = meters.filter((row) => row.dcuId !== null);
    if (taken.length > 0) void message.warning(`${t('alreadyBound')} ${someOf(taken.map((row) => row.sn)).join(', ')}`, 6);
    else onDialog({ kind: 'bind', meters });
  };
  const setMaster = (meters: AssetRow[]) => master.mutate({ body: { ids: meters.map((row) => row.id), isMaster: !areMasters } });
  const printOf = (meters: AssetRow[]) =>
    printLabels(
      t('labels'),
      meters.map((row) => ({ sn: row.sn, lines: [called(row.meterTypeName), row.transformerName ?? ''] })),
    );
  const button = (route: Route, label: string, Icon: typeof Tag, then: (meters: AssetRow[]) => void) =>
    may(route) ? (
      <Button
        size="small"
        danger={route === meter.remove}
        loading={route === meter.setMaster && master.isPending}
        icon={<Icon size={13} aria-hidden="true" />}
        onClick={() => take(then, MAX_METERS_AT_ONCE)}
      >
        {label}
      </Button>
    ) : null;
  return (
    <SelectionBar selection={selection} total={total}>
      {button(meter.assets, t('labels'), Barcode, printOf)}
      {button(archive.bind, t('bindTo'), Cable, bind)}
      {button(meter.setState, t('changeState'), Warehouse, (meters) => onDialog({ kind: 'state', meters }))}
      {button(meter.setType, t('changeType'), Tag, (meters) => onDialog({ kind: 'type', meters }))}
      {button(meter.setMaster, t(areMasters ? 'unsetMaster' : 'setMaster'), Star, setMaster)}
      {button(meter.remove, t('remove'), Trash2, (meters) => onDialog({ kind: 'delete', meters }))}
    </SelectionBar>
  );
}
