import type { TopologyNode } from '@hes/contract/network/topology.ts';
import { STATION_ROLE_TEXT } from '@hes/contract/states/topology.ts';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { isShortcut } from '#core/keys/shortcuts.ts';
import { grouped } from '#core/time/number.ts';
import { childrenOf } from './layout.ts';
import { texts } from './messages.ts';
import { SignalBars } from '#domain/topology/signal-bars.tsx';
import { useGridKeys } from '#kit/table/use-grid-keys.ts';
import styles from './topology.module.css';

interface TreeListProps {
  sn: string;
  nodes: readonly TopologyNode[];
  shown: ReadonlySet<string>;
  route: ReadonlySet<string>;
  selected: string | undefined;
  onSelect: (mac: string) => void;
}

const OPEN_UP_TO = 600;
const SHAPE = { cco: '◆', pco: '▲', sta: '●' } as const;

/** The network as a tree table: the content of the drawing, also for screen readers. */
export function TreeList({ sn, nodes, shown, route, selected, onSelect }: TreeListProps) {
  const t = useMessages(texts);
  const say = useSay();
  // A large network starts folded, except the branches of the DCU and the route to the selected station.
  const [closed, setClosed] = useState<ReadonlySet<string>>(
    () =>
      new Set(nodes.length > OPEN_UP_TO ? nodes.filter(({ mac, role }) => role === 'pco' && !route.has(mac)).map(({ mac }) => mac) : []),
  );
  const children = useMemo(() => childrenOf(nodes), [nodes]);
  const box = useRef<HTMLDivElement>(null);
  // Scrolls to a station selected by number.
  useEffect(() => {
    if (selected !== undefined) box.current?.querySelector(`tr[data-mac="${selected}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const rows = useMemo(() => {
    const list: { node: TopologyNode; depth: number; below: number }[] = [];
    const add = (node: TopologyNode, depth: number): void => {
      const below = children.get(node.mac) ?? [];
      list.push({ node, depth, below: below.length });
      if (!closed.has(node.mac)) for (const child of below) add(child, depth + 1);
    };
    for (const node of children.get(null) ?? []) add(node, 1);
    return list;
  }, [children, closed]);
  const toggle = (mac: string): void => {
    const next = new Set(closed);
    if (!next.delete(mac)) next.add(mac);
    setClosed(next);
  };
  const keys = useGridKeys(box, { count: rows.length + 1 });
  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>, mac: string, below: number) => {
    if (isShortcut('openRow', event) || isShortcut('selectRow', event)) onSelect(mac);
    else if (below > 0 && isShortcut('moveInRow', event) && (event.key === 'ArrowRight') === closed.has(mac)) toggle(mac);
    else return;
    event.preventDefault();
  };
  return (
    <div ref={box} className={styles['list']}>
      <table role="treegrid" aria-label={t('list')} {...keys}>
        <thead>
          <tr>
            <th scope="col">{t('station')}</th>
            <th scope="col">{t('role')}</th>
            <th scope="col">{t('level')}</th>
            <th scope="col">{t('signal')}</th>
            <th scope="col">{t('success')}</th>
            <th scope="col">{t('children')}</th>
          </tr>
        </thead>
        <tbody>
          <tr aria-level={1} aria-rowindex={2} data-root>
            <td>
              <b className="mono">◆ {grouped(sn)}</b>
            </td>
            <td>{say(STATION_ROLE_TEXT.cco)}</td>
            <td>0</td>
            <td>—</td>
            <td>—</td>
            <td>{children.get(null)?.length ?? 0}</td>
          </tr>
          {rows.map(({ node, depth, below }, at) => (
            <tr
              key={node.mac}
              aria-rowindex={at + 3}
              aria-level={depth + 1}
              aria-selected={node.mac === selected}
              {...(below > 0 ? { 'aria-expanded': !closed.has(node.mac) } : {})}
              data-dim={!shown.has(node.mac)}
              data-route={route.has(node.mac)}
              data-sn={node.sn}
              data-mac={node.mac}
              onClick={() => onSelect(node.mac)}
              onKeyDown={(event) => onKeyDown(event, node.mac, below)}
            >
              <td style={{ paddingLeft: 10 + depth * 20 }}>
                {below > 0 ? (
                  <button
                    type="button"
                    tabIndex={-1}
                    aria-hidden="true"
                    onClick={(event) => {
                      event.stopPropagation();
                      toggle(node.mac);
                    }}
                  >
                    {closed.has(node.mac) ? <ChevronRight size={14} /> : <ChevronDown size={14} />}
                  </button>
                ) : (
                  <span className={styles['indent']} />
                )}
                <span className="mono">
                  {SHAPE[node.role]} {grouped(node.sn)}
                </span>
              </td>
              <td>{say(STATION_ROLE_TEXT[node.role])}</td>
              <td>{node.isOnline ? node.level : '—'}</td>
              <td>
                <SignalBars signal={node.signal} />
              </td>
              <td>{node.isOnline && node.upPct !== null ? `${node.upPct} / ${node.downPct} %` : '—'}</td>
              <td>{below || ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
