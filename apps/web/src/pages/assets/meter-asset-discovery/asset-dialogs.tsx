import { meter as meters, type AssetDetail } from '@hes/contract/asset/meter.ts';
import { App } from 'antd';
import type { ReactNode } from 'react';
import { useApiQuery } from '#shared/api/hooks.ts';
import { LoadedDrawer } from '#shared/form/loaded-drawer.tsx';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { KeysDrawer } from '#widgets/device-keys/keys-drawer.tsx';
import { messages as keyTexts } from '#widgets/device-keys/messages.ts';
import type { AssetDialog } from './asset-actions.tsx';
import { BindToDcu, ChangeState, ChangeType, DeleteMeters } from './batch-dialogs.tsx';
import { MeterForm } from './meter-form.tsx';
import { ReplaceForm } from './replace-form.tsx';
import { texts } from './texts.ts';

/** Loads the details of a meter for forms that need more than its row. */
function WithDetail({ id, ...drawer }: { id: string; title: string; onClose: () => void; children: (detail: AssetDetail) => ReactNode }) {
  return <LoadedDrawer query={useApiQuery(meters.asset, { params: { id } })} {...drawer} />;
}

interface AssetDialogsProps {
  dialog: AssetDialog | undefined;
  onClose: () => void;
  /** Called after a change: `gone` were deleted, `shown` is to be opened. */
  onChanged: (change: { gone?: string[]; shown?: string }) => void;
}

/** The dialogs above the inventory. */
export function AssetDialogs({ dialog, onClose, onChanged }: AssetDialogsProps) {
  const t = useMessages(texts);
  const keysTitle = useMessages(keyTexts);
  const { message } = App.useApp();
  if (dialog === undefined) return null;
  const done = () => onChanged({});
  const saved = () => {
    void message.success(t('saved'));
    done();
  };
  switch (dialog.kind) {
    case 'add':
      return (
        <MeterForm
          meter={undefined}
          onDone={(shown) => {
            void message.success(t('added'));
            onChanged({ shown });
          }}
          onClose={onClose}
        />
      );
    case 'edit':
      return (
        <WithDetail id={dialog.meter.id} title={t('editMeter', { sn: dialog.meter.sn })} onClose={onClose}>
          {(detail) => <MeterForm meter={detail} onDone={saved} onClose={onClose} />}
        </WithDetail>
      );
    case 'keys':
      return (
        <WithDetail id={dialog.meter.id} title={keysTitle('keysOf', { sn: dialog.meter.sn })} onClose={onClose}>
          {(detail) => <KeysDrawer route={meters.setKeys} device={detail} onDone={saved} onClose={onClose} />}
        </WithDetail>
      );
    case 'replace':
      return <ReplaceForm meter={dialog.meter} onDone={(shown) => onChanged({ shown })} onClose={onClose} />;
    case 'delete':
      return <DeleteMeters rows={dialog.meters} onDone={(gone) => onChanged({ gone })} onClose={onClose} />;
    case 'state':
      return <ChangeState rows={dialog.meters} onDone={done} onClose={onClose} />;
    case 'type':
      return <ChangeType rows={dialog.meters} onDone={done} onClose={onClose} />;
    case 'bind':
      return <BindToDcu rows={dialog.meters} onDone={done} onClose={onClose} />;
  }
}
