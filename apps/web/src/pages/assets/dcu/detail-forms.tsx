import { dcu as dcus, type DcuRow } from '@hes/contract/asset/dcu.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { LoadedDrawer } from '#kit/form/loaded-drawer.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { KeysDrawer } from '#domain/device-keys/keys-drawer.tsx';
import { messages as keyTexts } from '#domain/device-keys/messages.ts';
import type { FormProps } from '#kit/list/list-parts.ts';
import { DcuForm, type Caller } from './dcu-form.tsx';
import { texts } from './texts.ts';

/** Registers a DCU, and opens its details. */
export function RegisterForm({ caller, onDone, onClose }: FormProps<DcuRow> & { caller?: Caller }) {
  const [, setUrl] = useUrl(PAGE_WORDS.dcus);
  const registered = (sel: string) => {
    setUrl({ sel });
    onDone();
  };
  return <DcuForm dcu={undefined} caller={caller} onDone={registered} onClose={onClose} />;
}

/** Changes a DCU; its form needs more than its row. */
export function EditForm({ row, onDone, onClose }: FormProps<DcuRow>) {
  const t = useMessages(texts);
  const query = useApiQuery(dcus.get, { params: { id: row?.id ?? '' } });
  return (
    <LoadedDrawer query={query} title={t('editDcu', { sn: row?.sn ?? '' })} onClose={onClose}>
      {(detail) => <DcuForm dcu={detail} onDone={onDone} onClose={onClose} />}
    </LoadedDrawer>
  );
}

/** Changes the keys of a DCU. */
export function KeysForm({ row, onDone, onClose }: FormProps<DcuRow>) {
  const t = useMessages(keyTexts);
  const query = useApiQuery(dcus.get, { params: { id: row?.id ?? '' } });
  return (
    <LoadedDrawer query={query} title={t('keysOf', { sn: row?.sn ?? '' })} onClose={onClose}>
      {(detail) => <KeysDrawer route={dcus.setKeys} device={detail} onDone={onDone} onClose={onClose} />}
    </LoadedDrawer>
  );
}
