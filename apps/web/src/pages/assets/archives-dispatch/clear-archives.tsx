import type { ArchiveSummary } from '@hes/contract/asset/archive.ts';
import { Eraser } from 'lucide-react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { texts } from './texts.ts';
import { useOrders } from './use-orders.ts';

export function ClearArchives({ summary, onClose }: { summary: ArchiveSummary; onClose: () => void }) {
  const t = useMessages(texts);
  const { clear } = useOrders(onClose);
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
