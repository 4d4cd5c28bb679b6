import { tree, type NodeKey } from '@hes/contract/asset/tree.ts';
import { App } from 'antd';
import { useState } from 'react';
import { call } from '#core/api/client.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { texts } from './messages.ts';
import { SnField } from './sn-field.tsx';

const LEAST_CHARACTERS = 4;

/** Opens the status of the device with a typed or scanned serial number; a part of it suffices if it belongs to one device only. */
export function FindDevice({ onFound }: { onFound: (node: NodeKey) => void }) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [sn, setSn] = useState('');
  const [isBusy, setBusy] = useState(false);
  const find = async (search: string) => {
    if (search.length < LEAST_CHARACTERS) return void message.warning(t('typeMore', { count: LEAST_CHARACTERS }));
    setBusy(true);
    const answer = await call(tree.children, { query: { search } });
    setBusy(false);
    if (!answer.ok) return void message.error(answer.error.message);
    const devices = answer.data.items.filter(({ kind }) => kind === 'dcu' || kind === 'meter');
    const found = devices.find(({ title }) => title === search) ?? (devices.length === 1 ? devices[0] : undefined);
    if (found === undefined)
      return void message.warning(devices.length === 0 ? t('unknownSn', { sn: search }) : t('severalSns', { count: devices.length }));
    setSn('');
    onFound(found.key);
  };
  return <SnField label={t('snOfDevice')} value={sn} onChange={setSn} onEnter={(text) => void find(text)} isBusy={isBusy} />;
}
