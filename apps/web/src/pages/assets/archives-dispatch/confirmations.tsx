import { archive, type ArchiveRow, type ArchiveSummary } from '@hes/contract/asset/archive.ts';
import { App } from 'antd';
import { Eraser, Trash2, Unlink } from 'lucide-react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useReload } from '#core/api/use-reload.ts';
import { useModelName } from '#domain/models/model.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { someOf } from '#kit/basics/some-of.ts';
import { texts } from './texts.ts';
import { useOrders } from './use-orders.ts';

function Named({ rows }: { rows: ArchiveRow[] }) {
  const called = useModelName();
  return (
    <ul>
      {someOf(rows.map((row) => [row.sn, ...(row.meterTypeName === null ? [] : [called(row.meterTypeName)])].join(' · '))).map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  );
}

interface Props {
  rows: ArchiveRow[];
  onDone: () => void;
  onClose: () => void;
}

const idsOf = (rows: ArchiveRow[]): string[] => rows.flatMap((row) => (row.id === null ? [] : [row.id]));

export function UnbindMeters({ rows, onDone, onClose }: Props) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const reload = useReload(archive.list);
  const order = useApiMutation(archive.unbind, {
    success: ({ items }) => {
      void message.success(t('unbound', { count: items.length }));
      reload();
      onDone();
    },
  });
  return (
    <DangerDialog
      icon={<Unlink size={20} aria-hidden="true" />}
      title={t('unbindTitle', { count: rows.length })}
      effect={t('unbindEffect')}
      action={t('unbind')}
      about={<Named rows={rows} />}
      busy={order.isPending}
      failure={order.error?.message}
      onConfirm={() => order.mutate({ body: { recordIds: idsOf(rows) } })}
      onClose={onClose}
    />
  );
}

export function DeleteFromDcu({ rows, dcuId, onTask, onDone, onClose }: Props & { dcuId: string; onTask: (taskId: string) => void }) {
  const t = useMessages(texts);
  const { remove } = useOrders((taskId) => {
    onTask(taskId);
    onDone();
  });
  return (
    <DangerDialog
      icon={<Trash2 size={20} aria-hidden="true" />}
      title={t('removeTitle')}
      effect={t('removeEffect')}
      action={t('removeCount', { count: rows.length })}
      about={<Named rows={rows} />}
      busy={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate({ body: { dcuId, recordIds: idsOf(rows) } })}
      onClose={onClose}
    />
  );
}

export function ClearArchives({
  summary,
  onTask,
  onClose,
}: {
  summary: ArchiveSummary;
  onTask: (taskId: string) => void;
  onClose: () => void;
}) {
  const t = useMessages(texts);
  const { clear } = useOrders((taskId) => {
    onTask(taskId);
    onClose();
  });
  return (
    <DangerDialog
      icon={<Eraser size={20} aria-hidden="true" />}
      title={t('sureToClear')}
      effect={t('clearEffect')}
      action={t('clear')}
      about={`${summary.dcuSn} · ${summary.dcuName}`}
      typed={{ label: t('typeSn', { sn: summary.dcuSn }), expected: summary.dcuSn, wrong: t('wrongSn') }}
      busy={clear.isPending}
      failure={clear.error?.message}
      onConfirm={() => clear.mutate({ body: { dcuId: summary.dcuId, confirmSn: summary.dcuSn } })}
      onClose={onClose}
    />
  );
}
