import { staModel, type StationRow } from '@hes/contract/debug/sta-model.ts';
import { LIBRARY_VERDICT_TEXT, STATION_LINK_TEXT, STATION_ROLE_TEXT } from '@hes/contract/states/topology.ts';
import { to } from '@hes/contract/page/links.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App, Button, InputNumber } from 'antd';
import { Cpu } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime, elapsed } from '#core/time/format.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { Properties, Sn } from '#kit/basics/text.tsx';
import { DeviceRun, useReason } from '#domain/device-run/device-run.tsx';
import type { PaneProps } from '#kit/list/list-parts.ts';
import { PaneActions, PaneHead, PaneSection, SidePane } from '#kit/pane/side-pane.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { useCountNames } from '#domain/topology/count-names.ts';
import { NearStations } from '#domain/topology/near-stations.tsx';
import { SignalBars } from '#domain/topology/signal-bars.tsx';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { StationHistory } from '#domain/topology/station-history.tsx';
import { texts } from './messages.ts';
import { idOf, STATION } from './signs.ts';
import { useDcuId } from './use-summary.ts';
import styles from './sta-model.module.css';

const REASON_MAX = 256;
/** dBµV at the top of the picture, and its height in pixels. */
const NOISE_TOP = 90;
const NOISE_HEIGHT = 72;

interface StationProps {
  row: StationRow;
  dcuId: string;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  onSelect: (mac: string) => void;
  onClose: () => void;
}

/** The details of the selected station. */
export function StationPane({ id, rows, select }: PaneProps<StationRow>) {
  const dcuId = useDcuId();
  const [, setSearch] = useSearchParams();
  const at = rows.findIndex((one) => idOf(one) === id);
  const row = rows[at];
  if (row === undefined || dcuId === undefined) return null;
  const step = (to: number) => {
    const next = rows[to];
    return next && (() => select(idOf(next)));
  };
  /** Opens a neighbour, which may be on another page or filtered out. */
  const goTo = (mac: string) => {
    if (rows.some((one) => one.mac === mac)) select(mac);
    else setSearch({ dcuId, search: mac, sel: mac }, { replace: true });
  };
  return (
    <Station row={row} dcuId={dcuId} onPrevious={step(at - 1)} onNext={step(at + 1)} onSelect={goTo} onClose={() => select(undefined)} />
  );
}

/** All values read from one station. */
function Station({ row, dcuId, onPrevious, onNext, onSelect, onClose }: StationProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const client = useQueryClient();
  const [dialog, setDialog] = useState<'replaced' | 'restart'>();
  const [run, setRun] = useState<string>();
  const countNames = useCountNames();
  const replaced = useApiMutation(staModel.replaced, {
    success: () => {
      setDialog(undefined);
      void client.invalidateQueries({ queryKey: [staModel.list.path] });
    },
  });
  const restart = useApiMutation(staModel.restart, {
    success: ({ taskId }) => {
      setDialog(undefined);
      setRun(taskId);
    },
  });
  const title = row.sn ?? row.mac;
  return (
    <SidePane label={title}>
      <PaneHead
        icon={<Cpu size={18} aria-hidden="true" />}
        title={<Sn sn={title} />}
        place={say(STATION_ROLE_TEXT[row.role])}
        state={<StateOf sign={STATION[row.state]} tag />}
        onPrevious={onPrevious}
        onNext={onNext}
        onClose={onClose}
      />
      <PaneActions>
        <LinkButton to={to.topology({ dcu: dcuId, sel: row.mac })}>{t('topology')}</LinkButton>
        <LinkButton to={to.upgrades()} type={row.library?.verdict === 'older' ? 'primary' : 'default'}>
          {t('firmware')}
        </LinkButton>
        {may(staModel.restart) && row.boots !== null && row.role !== 'cco' ? (
          <Button onClick={() => setDialog('restart')}>{t('restart')}</Button>
        ) : null}
        {may(staModel.replaced) && row.chipId !== null ? <Button onClick={() => setDialog('replaced')}>{t('markReplaced')}</Button> : null}
      </PaneActions>
      <div className={styles['sections']}>
        {may(staModel.ping) && row.meterId !== null && row.mac !== '' ? <Ping key={row.mac} mac={row.mac} dcuId={dcuId} /> : null}
        <Properties
          items={[
            { label: t('mac'), value: <span className="mono">{row.mac || '—'}</span> },
            { label: t('parent'), value: row.parentSn === null ? '—' : <Sn sn={row.parentSn} /> },
            { label: t('link'), value: row.level === 0 ? '—' : say(STATION_LINK_TEXT[row.link]) },
            { label: t('signal'), value: row.role === 'cco' ? '—' : <SignalBars signal={row.signal} /> },
            { label: t('chip'), value: <span className="mono">{row.chipId ?? '—'}</span> },
            { label: t('vendor'), value: row.vendor },
            { label: t('hw'), value: <span className="mono">{row.hwVersion ?? '—'}</span> },
            { label: t('sw'), value: <span className="mono">{row.softwareVersion ?? '—'}</span> },
            { label: t('built'), value: <span className="mono">{row.builtOn ?? '—'}</span> },
            {
              label: t('library'),
              value: row.library === null ? t('noLibrary') : `${row.library.version} · ${say(LIBRARY_VERDICT_TEXT[row.library.verdict])}`,
            },
            { label: t('uptime'), value: row.uptimeS === null ? '—' : elapsed(row.uptimeS * 1000) },
            { label: t('boots'), value: row.boots },
            { label: t('replacedAt'), value: row.replacedAt === null ? '—' : dateTime(row.replacedAt) },
          ]}
        />
        {row.level === 0 ? null : <Network row={row} dcuId={dcuId} onSelect={onSelect} />}
        {row.noise.length === 0 ? null : (
          <PaneSection title={t('noise')} note={t('noiseNote')}>
            <ol className={styles['noise']}>
              {row.noise.map((value, at) => (
                <li key={at} title={t('noisePart', { part: at + 1, value })}>
                  <b>{value}</b>
                  <i style={{ height: `${Math.min(1, value / NOISE_TOP) * NOISE_HEIGHT}px` }} />
                </li>
              ))}
            </ol>
          </PaneSection>
        )}
        {row.raw === null ? null : (
          <PaneSection title={t('raw')} {...(row.readAt === null ? {} : { note: dateTime(row.readAt) })}>
            <pre className={styles['raw']}>{JSON.stringify(row.raw, null, 2)}</pre>
          </PaneSection>
        )}
      </div>
      {dialog === 'replaced' ? (
        <DangerDialog
          title={t('markReplaced')}
          effect={t('replacedEffect')}
          action={t('markReplaced')}
          about={<Sn sn={title} />}
          reason={{ label: t('reason'), max: REASON_MAX, missing: t('reasonMissing') }}
          busy={replaced.isPending}
          failure={replaced.error?.message}
          onConfirm={(reason) => replaced.mutate({ params: { mac: row.mac }, body: { dcuId, reason } })}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
      {dialog === 'restart' ? (
        <DangerDialog
          title={t('restart')}
          effect={t('restartEffect')}
          action={t('restart')}
          about={<Sn sn={title} />}
          reason={{ label: t('reason'), max: REASON_MAX, missing: t('reasonMissing') }}
          busy={restart.isPending}
          failure={restart.error?.message}
          onConfirm={(reason) => restart.mutate({ params: { mac: row.mac }, body: { dcuId, reason } })}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
      {run === undefined ? null : <DeviceRun taskId={run} title={t('restart')} nameOf={countNames} onClose={() => setRun(undefined)} />}
    </SidePane>
  );
}

/** The history of a station in its network, and its neighbours. */
function Network({ row: { mac, link }, dcuId, onSelect }: { row: StationRow; dcuId: string; onSelect: (mac: string) => void }) {
  const about = useApiQuery(staModel.get, { params: { mac }, query: { dcuId } });
  return (
    <>
      <StationHistory history={about} link={link} />
      {about.data === undefined ? null : <NearStations near={about.data.near} onSelect={onSelect} />}
    </>
  );
}

/** Sends a number of test frames at an interval and shows the responses. */
function Ping({ mac, dcuId }: { mac: string; dcuId: string }) {
  const t = useMessages(texts);
  const reason = useReason();
  const { message } = App.useApp();
  const [count, setCount] = useState(4);
  const [intervalS, setIntervalS] = useState(1);
  const [taskId, setTaskId] = useState<string>();
  const ping = useApiMutation(staModel.ping, {
    success: (order) => setTaskId(order.taskId),
    failure: (error) => void message.error(error.message, 0),
  });
  const answers = useApiQuery(staModel.pings, {
    params: { mac },
    query: { taskId: taskId ?? '0', dcuId },
    enabled: taskId !== undefined,
    refetchMs: 1000,
  });
  return (
    <PaneSection title={t('ping')}>
      <div className={styles['ping']}>
        <label>
          {t('pingCount')}
          <InputNumber min={1} max={20} value={count} onChange={(value) => setCount(value ?? 1)} aria-label={t('pingCount')} />
        </label>
        <label>
          {t('pingInterval')}
          <InputNumber min={1} max={60} value={intervalS} onChange={(value) => setIntervalS(value ?? 1)} aria-label={t('pingInterval')} />
        </label>
        <Button loading={ping.isPending} onClick={() => ping.mutate({ params: { mac }, body: { dcuId, count, intervalS } })}>
          {t('ping')}
        </Button>
      </div>
      {taskId === undefined ? null : (
        <ol className={styles['pings']} aria-label={t('pings')}>
          {(answers.data?.items ?? []).map((answer) => (
            <li key={answer.number} data-ok={answer.ms !== null}>
              <span>#{answer.number}</span>
              <b>{answer.ms === null ? (reason(answer.reasonCode) ?? t('noAnswer')) : `${answer.ms} ms`}</b>
            </li>
          ))}
        </ol>
      )}
    </PaneSection>
  );
}
