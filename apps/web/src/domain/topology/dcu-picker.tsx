import { topology, type TopologyDcu } from '@hes/contract/network/topology.ts';
import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { Input } from 'antd';
import { Search } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { Glyph } from '#kit/state/glyphs.tsx';
import { useOpeningDcu } from '#domain/node-tree/use-opening.ts';
import { ONLINE } from '#domain/states/tables.ts';
import { texts } from './messages.ts';
import styles from './dcu-picker.module.css';

const MOST = 500;
const POLL_MS = 60_000;

interface DcuPickerProps {
  selected: string | undefined;
  node?: NodeKey | undefined;
  onSelect: (dcu: TopologyDcu) => void;
}

/** DCUs with the number of their connected stations. */
export function DcuPicker({ selected, node, onSelect }: DcuPickerProps) {
  const t = useMessages(texts);
  const [search, setSearch] = useState('');
  const query = useApiQuery(topology.dcus, {
    // as: the server validates the node in the address.
    query: { size: MOST, search: useDeferredValue(search) || undefined, node: node as NodeKey | undefined },
    refetchMs: POLL_MS,
    keep: true,
  });
  useOpeningDcu(query.data?.items, selected, onSelect);
  return (
    <Panel title={t('dcus')} note={query.data ? figure(query.data.total) : undefined} className={styles['picker']}>
      <Input
        allowClear
        prefix={<Search size={14} aria-hidden="true" />}
        placeholder={t('searchDcu')}
        aria-label={t('searchDcu')}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <PanelState
        query={query}
        lines={8}
        isEmpty={(data) => data.items.length + data.direct === 0}
        empty={<Empty small text={t('noSearchResult')} />}
      >
        {({ items, direct }) => (
          <>
            <ul className={styles['dcus']} aria-label={t('dcus')}>
              {items.map((dcu) => (
                <li key={dcu.dcuId}>
                  <button type="button" aria-pressed={dcu.dcuId === selected} onClick={() => onSelect(dcu)}>
                    <Glyph shape={ONLINE[dcu.onlineStatus].shape} tone={ONLINE[dcu.onlineStatus].tone} size={14} />
                    <span>
                      <Sn sn={dcu.sn} />
                      <small>{dcu.transformerName}</small>
                    </span>
                    <b>
                      {dcu.takenAt === null ? <small>—</small> : figure(dcu.online)}
                      <small> / {figure(Math.max(dcu.total, dcu.meters))}</small>
                    </b>
                  </button>
                </li>
              ))}
            </ul>
            {direct === 0 ? null : <p className={styles['direct']}>{t('directNote', { count: direct })}</p>}
          </>
        )}
      </PanelState>
    </Panel>
  );
}
