import { topology, type TopologyMoment } from '@hes/contract/network/topology.ts';
import { Button, Select, Slider } from 'antd';
import { useMemo } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { texts } from './messages.ts';
import styles from './topology.module.css';

interface TimeBarProps {
  dcuId: string;
  at: string | undefined;
  from: string | undefined;
  onAt: (at: string | undefined) => void;
  onFrom: (from: string | undefined) => void;
  onSelectSn: (sn: string) => void;
}

const short = (at: string): string => dateTime(at).slice(5);

/** Selects a past moment, and the moment to compare it with. */
export function TimeBar({ dcuId, at, from, onAt, onFrom, onSelectSn }: TimeBarProps) {
  const t = useMessages(texts);
  const query = useApiQuery(topology.moments, { params: { dcuId } });
  const moments = useMemo(() => query.data?.items ?? [], [query.data]);
  if (moments.length === 0) return null;
  const last = moments.length - 1;
  const index =
    at === undefined
      ? last
      : Math.max(
          0,
          moments.findLastIndex((moment) => moment.takenAt <= at),
        );
  const shown: TopologyMoment | undefined = moments[index];
  return (
    <Panel label={t('time')} className={styles['time']}>
      <div className={styles['timeLine']}>
        <span className={styles['moment']} data-testid="moment">
          {shown ? t('moment', { time: short(shown.takenAt), nodes: shown.nodes }) : null}
        </span>
        <Slider
          className={styles['slider'] ?? ''}
          min={0}
          max={Math.max(1, last)}
          value={index}
          disabled={last === 0}
          tooltip={{ formatter: (value) => short(moments[value ?? last]?.takenAt ?? '') }}
          ariaLabelForHandle={t('time')}
          onChange={(value) => onAt(value >= last ? undefined : moments[value]?.takenAt)}
        />
        <Button size="small" disabled={at === undefined} onClick={() => onAt(undefined)}>
          {t('now')}
        </Button>
        <Select
          allowClear
          showSearch
          size="small"
          className={styles['compare'] ?? ''}
          placeholder={t('compare')}
          aria-label={t('compare')}
          value={from ?? null}
          options={moments
            .filter((moment) => moment !== shown)
            .toReversed()
            .map((moment) => ({ value: moment.takenAt, label: t('moment', { time: short(moment.takenAt), nodes: moment.nodes }) }))}
          onChange={(value: string | null) => onFrom(value ?? undefined)}
        />
      </div>
      {from !== undefined && shown ? <Difference dcuId={dcuId} from={from} to={shown.takenAt} onSelectSn={onSelectSn} /> : null}
    </Panel>
  );
}

function Difference({ dcuId, from, to, onSelectSn }: { dcuId: string; from: string; to: string; onSelectSn: (sn: string) => void }) {
  const t = useMessages(texts);
  const [first, second] = from < to ? [from, to] : [to, from];
  const query = useApiQuery(topology.diff, { params: { dcuId }, query: { from: first, to: second } });
  const chip = (sn: string) => (
    <button key={sn} type="button" onClick={() => onSelectSn(sn)}>
      <Sn sn={sn} />
    </button>
  );
  return (
    <PanelState query={query} lines={2}>
      {({ joined, left, moved, broke }) =>
        joined.length + left.length + moved.length === 0 ? (
          <p className={styles['same']}>{t('noDifference')}</p>
        ) : (
          <div className={styles['diff']} data-testid="diff">
            {broke.length > 0 ? (
              <section data-tone="red">
                <h3>{t('broke')}</h3>
                {broke.map((lost) => (
                  <p key={lost.relayMac} data-relay={lost.relaySn}>
                    {t('brokeLine', { sn: lost.relaySn, count: lost.lostSns.length })}
                    {lost.rescuedSns.length > 0 ? ` · ${t('rescued', { count: lost.rescuedSns.length })}` : null}
                    {lost.lostSns.map(chip)}
                  </p>
                ))}
              </section>
            ) : null}
            {[
              { key: 'joined' as const, sns: joined },
              { key: 'left' as const, sns: left },
              { key: 'moved' as const, sns: moved.map((one) => one.sn) },
            ].map(({ key, sns }) => (
              <section key={key} data-empty={sns.length === 0}>
                <h3>
                  {t(key)} <b data-value={sns.length}>{sns.length}</b>
                </h3>
                <p>{sns.map(chip)}</p>
              </section>
            ))}
          </div>
        )
      }
    </PanelState>
  );
}
