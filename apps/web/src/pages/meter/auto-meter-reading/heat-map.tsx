import { gap, type CompletenessRow } from '@hes/contract/reading/gap.ts';
import { Pagination, Switch } from 'antd';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { percent } from '#shared/time/number.ts';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { Sn } from '#shared/ui/text.tsx';
import { useReason } from '#widgets/device-run/device-run.tsx';
import { texts } from './columns.tsx';
import type { Kind } from './data-kinds.ts';
import { toneOf } from './tone.ts';
import type { DayRange } from './range.ts';
import styles from './heat-map.module.css';

interface HeatMapProps {
  kind: Kind;
  range: DayRange;
  target: { meterId?: string; node?: string };
  page: string;
  size: string;
  onlyGaps: boolean;
  onOnlyGaps: (only: boolean) => void;
  onPage: (page: string, size: string) => void;
  /** A day of a meter is to be looked at. */
  onOpen: (meterId: string, day: string) => void;
}

const PAGE_SIZES = ['50', '100', '200'];

/** Meters by days: where the holes are, at a glance. Each cell opens what there is. */
export function HeatMap({ kind, range, target, page, size, onlyGaps, onOnlyGaps, onPage, onOpen }: HeatMapProps) {
  const t = useMessages(texts);
  const reason = useReason();
  const query = useApiQuery(gap.byMeter, {
    query: { ...range, ...target, profile: kind, page, size, onlyGaps: onlyGaps ? 'true' : undefined },
    keep: true,
  });
  const nothing = onlyGaps ? <Empty text={t('noGaps')} hint={t('noGapsHint')} /> : <Empty text={t('noSn')} />;
  return (
    <PanelState query={query} lines={14} isEmpty={(data) => data.items.length === 0 && !onlyGaps} empty={nothing}>
      {(data) => {
        const expected = data.days.reduce((sum, day) => sum + day.expected, 0);
        return (
          <>
            <div className={styles['scroll']}>
              <table className={styles['map']} aria-label={t('heat')}>
                <thead>
                  <tr>
                    <th scope="col" className={styles['sn']}>
                      {t('sn')}
                    </th>
                    {data.days.map(({ day }) => (
                      <th key={day} scope="col" title={day}>
                        {day.slice(8)}
                        <small>{day.slice(8) === '01' || day === data.days[0]?.day ? day.slice(5, 7) : ''}</small>
                      </th>
                    ))}
                    <th scope="col" className={styles['rate']}>
                      {t('rate')}
                    </th>
                    <th scope="col" className={styles['why']}>
                      {t('why')}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {data.items.map((row) => (
                    <Line key={row.meterId} row={row} days={data.days} expected={expected} onOpen={onOpen}>
                      {row.gaps > 0 ? (reason(row.reasonCode) ?? t('notTried')) : ''}
                    </Line>
                  ))}
                </tbody>
              </table>
              {data.items.length === 0 ? nothing : null}
            </div>
            <footer className={styles['footer']}>
              <label>
                <Switch size="small" checked={onlyGaps} onChange={onOnlyGaps} aria-label={t('onlyGaps')} /> {t('onlyGaps')}
              </label>
              <span className={styles['legend']} aria-hidden="true">
                {(['ok', 'amber', 'orange', 'red', 'none'] as const).map((tone) => (
                  <span key={tone}>
                    <i data-tone={tone} /> {t(`tone_${tone}`)}
                  </span>
                ))}
              </span>
              <Pagination
                size="small"
                current={data.page}
                pageSize={data.size}
                total={data.total}
                showSizeChanger
                pageSizeOptions={PAGE_SIZES}
                onChange={(next, size) => onPage(String(next), String(size))}
              />
            </footer>
          </>
        );
      }}
    </PanelState>
  );
}

interface LineProps {
  row: CompletenessRow;
  days: { day: string; expected: number }[];
  expected: number;
  onOpen: (meterId: string, day: string) => void;
  children: string;
}

function Line({ row, days, expected, onOpen, children }: LineProps) {
  const t = useMessages(texts);
  const sum = row.got.reduce((all, got) => all + got, 0);
  return (
    <tr>
      <th scope="row" className={styles['sn']}>
        <Sn sn={row.meterSn} />
      </th>
      {days.map(({ day, expected: wanted }, at) => {
        const got = row.got[at] ?? 0;
        const text = t('dayTip', { day, got, expected: wanted });
        return (
          <td key={day}>
            <button
              type="button"
              data-tone={toneOf(got, wanted)}
              title={text}
              aria-label={`${row.meterSn} ${text}`}
              onClick={() => onOpen(row.meterId, day)}
            />
          </td>
        );
      })}
      <td className={styles['rate']}>{expected === 0 ? '—' : `${percent(Math.min(sum, expected), expected) ?? '—'} %`}</td>
      <td className={styles['why']}>{children}</td>
    </tr>
  );
}
