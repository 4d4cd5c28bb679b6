import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { gap, type CompletenessRow } from '@hes/contract/reading/gap.ts';
import { NOT_TRIED_TEXT } from '@hes/contract/states/reading.ts';
import { Switch } from 'antd';
import { HeatLegend, HeatMap, type Heat } from '#kit/chart/heat-map.tsx';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { ListFooter } from '#kit/page/list-page.tsx';
import { percent } from '#core/time/number.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { useReason } from '#domain/device-run/device-run.tsx';
import { texts } from './columns.tsx';
import type { Kind } from './data-kinds.ts';
import type { MeterFilter } from './filters.tsx';
import { useRowState } from './row-state.ts';
import { toneOf } from './tone.ts';
import styles from './reading.module.css';
import type { DayRange } from './range.ts';

interface MeterHeatProps {
  kind: Kind;
  range: DayRange;
  target: { meterId?: string; node?: NodeKey };
  chosen: MeterFilter;
  page: string;
  size: string;
  onlyGaps: boolean;
  onOnlyGaps: (only: boolean) => void;
  onPage: (page: string, size: string) => void;
  /** Opens a day of a meter. */
  onOpen: (meterId: string, day: string) => void;
}

const PAGE_SIZES = ['50', '100', '200'];
const TONES = ['ok', 'amber', 'orange', 'red', 'none'] as const;
const HEAT: Record<(typeof TONES)[number], Heat> = { ok: 'calm', amber: 'amber', orange: 'orange', red: 'red', none: 'nothing' };

function rateOf({ got }: CompletenessRow, expected: number): string {
  const sum = got.reduce((all, one) => all + one, 0);
  return expected === 0 ? '—' : `${percent(Math.min(sum, expected), expected) ?? '—'} %`;
}

/** Meters by days, to find gaps at a glance. A cell opens the readings of its day. */
export function MeterHeat({ kind, range, target, chosen, page, size, onlyGaps, onOnlyGaps, onPage, onOpen }: MeterHeatProps) {
  const t = useMessages(texts);
  const say = useSay();
  const reason = useReason();
  const { whyMissing } = useRowState();
  const query = useApiQuery(gap.byMeter, {
    query: { ...range, ...target, ...chosen, profile: kind, page, size, onlyGaps: onlyGaps ? 'true' : undefined },
    keep: ['profile', 'node', 'meterId', 'from', 'to'],
  });
  const cellOf = (row: CompletenessRow, at: number, day: string, expected: number) => {
    const got = row.got[at] ?? 0;
    const missing = row.missing[at] ?? null;
    const tip = [t('dayTip', { day, got, expected }), missing === null ? '' : whyMissing(missing)].filter(Boolean).join(' · ');
    const open = () => onOpen(row.meterId, day);
    return { key: day, heat: HEAT[toneOf(got, expected)], tip, name: `${row.meterSn} ${tip}`, onOpen: open };
  };
  const nothing = onlyGaps ? <Empty kind="fine" text={t('noGaps')} hint={t('noGapsHint')} /> : <Empty text={t('noSn')} />;
  return (
    <PanelState query={query} lines={14} isEmpty={(data) => data.items.length === 0 && !onlyGaps} empty={nothing}>
      {(data) => {
        const expected = data.days.reduce((sum, day) => sum + day.expected, 0);
        return (
          <>
            <div className={styles['heat']}>
              <HeatMap
                label={t('heat')}
                corner={t('sn')}
                headPx={150}
                columns={data.days.map(({ day }, at) => ({
                  key: day,
                  name: day,
                  text: kind === 'monthly' ? day : at === 0 || day.endsWith('-01') ? day.slice(5) : day.slice(8),
                }))}
                ends={[
                  { key: 'rate', title: t('rate'), widthPx: 124 },
                  { key: 'why', title: t('why'), widthPx: 220, isText: true },
                ]}
                rows={data.items.map((row) => ({
                  key: row.meterId,
                  head: <Sn sn={row.meterSn} />,
                  cells: data.days.map(({ day, expected: wanted }, at) => cellOf(row, at, day, wanted)),
                  ends: [rateOf(row, expected), row.gaps > 0 ? (reason(row.reasonCode) ?? say(NOT_TRIED_TEXT)) : ''],
                }))}
              />
            </div>
            {data.items.length === 0 ? nothing : null}
            <ListFooter
              page={data}
              updatedAt={query.dataUpdatedAt}
              sizes={PAGE_SIZES}
              onPage={onPage}
              batch={
                <>
                  <label>
                    <Switch size="small" checked={onlyGaps} onChange={onOnlyGaps} aria-label={t('onlyGaps')} /> {t('onlyGaps')}
                  </label>
                  <HeatLegend steps={TONES.map((tone) => ({ heat: HEAT[tone], text: t(`tone_${tone}`) }))} />
                </>
              }
            />
          </>
        );
      }}
    </PanelState>
  );
}
