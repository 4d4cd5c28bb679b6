import { RELAY_COMMAND_TEXT, RELAY_OPERATION_TEXT } from '@hes/contract/action/relay-rules.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { CLOSE_REASON_TEXT } from '@hes/contract/states/device.ts';
import { TOPOLOGY_CHANGE_TEXT } from '@hes/contract/states/topology.ts';
import { STATUS_DAYS, type TimelineRow } from '@hes/contract/status/meter-status.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { shortTime, useEventName } from './meter-evidence.tsx';
import { texts } from './messages.ts';
import { Rows } from './rows.tsx';

const textIn = (table: Readonly<Record<string, Text>>, code: string): Text | undefined =>
  Object.hasOwn(table, code) ? table[code] : undefined;

/** What a row says, by its kind; a code of a later version is shown unchanged. */
function useHappened(): (row: TimelineRow) => string {
  const t = useMessages(texts);
  const say = useSay();
  const eventName = useEventName();
  const known = (table: Readonly<Record<string, Text>>, code: string) => {
    const text = textIn(table, code);
    return text === undefined ? code : say(text);
  };
  return (row) => {
    switch (row.kind) {
      case 'event':
        return eventName({ ...row, label: row.code });
      case 'relay':
        return [known(RELAY_OPERATION_TEXT, row.code), known(RELAY_COMMAND_TEXT, row.state ?? '')].join(' · ');
      case 'network':
        return [known(TOPOLOGY_CHANGE_TEXT, row.code), [row.nameEn, row.nameZh].filter(Boolean).join(' → ')].filter(Boolean).join(' · ');
      case 'replacement':
        return t(row.code === 'first' ? 'installed_first' : row.code === 'new' ? 'replaced_new' : 'replaced_old');
      case 'clock':
        return t('synchronised');
      case 'connected':
        return t('lineConnected');
      case 'disconnected':
        return known(CLOSE_REASON_TEXT, row.code);
    }
  };
}

/** Events, orders, replacements and changes of the line in one order of time, newest first. */
export function Timeline({ rows }: { rows: TimelineRow[] }) {
  const t = useMessages(texts);
  const happened = useHappened();
  return (
    <Rows
      title={t('timeline')}
      rows={rows.map((row, at) => ({ ...row, key: `${row.at}/${row.kind}/${at}` }))}
      empty={t('noTimeline', { days: STATUS_DAYS })}
      rowKey={({ key }) => key}
      columns={[
        { title: t('time'), width: '8.5em', cell: ({ at }) => shortTime(at) },
        { title: t('kindOf'), width: '28%', cell: ({ kind }) => t(`kind_${kind}`) },
        { title: t('entry'), cell: happened },
      ]}
    />
  );
}
