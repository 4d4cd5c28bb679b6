import { meter as meters, type AssetRow } from '@hes/contract/asset/meter.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { LoadedDrawer } from '#kit/form/loaded-drawer.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { KeysDrawer } from '#domain/device-keys/keys-drawer.tsx';
import { messages as keyTexts } from '#domain/device-keys/messages.ts';
import type { DialogProps } from '#kit/list/action.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { MeterForm } from './meter-form.tsx';
import { ReplaceForm } from './replace-form.tsx';
import { texts } from './texts.ts';

/** Opens the details of a meter after its form. */
function useShown(onDone: () => void): (sel: string) => void {
  const [, setUrl] = useUrl(PAGE_WORDS.meterAssets);
  return (sel) => {
    setUrl({ sel });
    onDone();
  };
}

/** Adds a meter, and opens its details. */
export function AddForm({ onDone, onClose }: FormProps<AssetRow>) {
  return <MeterForm meter={undefined} onDone={useShown(onDone)} onClose={onClose} />;
}

/** Replaces a meter, and opens the details of the new one. */
export function ReplaceDialog({ row, onDone, onClose }: DialogProps<AssetRow>) {
  return <ReplaceForm meter={row} onDone={useShown(onDone)} onClose={onClose} />;
}

/** Changes a meter; its form needs more than its row. */
export function EditForm({ row, onDone, onClose }: FormProps<AssetRow>) {
  const t = useMessages(texts);
  const query = useApiQuery(meters.asset, { params: { id: row?.id ?? '' } });
  return (
    <LoadedDrawer query={query} title={t('editMeter', { sn: row?.sn ?? '' })} onClose={onClose}>
      {(detail) => <MeterForm meter={detail} onDone={onDone} onClose={onClose} />}
    </LoadedDrawer>
  );
}

/** Changes the keys of a meter. */
export function KeysForm({ row, onDone, onClose }: FormProps<AssetRow>) {
  const t = useMessages(keyTexts);
  const query = useApiQuery(meters.asset, { params: { id: row?.id ?? '' } });
  return (
    <LoadedDrawer query={query} title={t('keysOf', { sn: row?.sn ?? '' })} onClose={onClose}>
      {(detail) => <KeysDrawer route={meters.setKeys} device={detail} onDone={onDone} onClose={onClose} />}
    </LoadedDrawer>
  );
}
