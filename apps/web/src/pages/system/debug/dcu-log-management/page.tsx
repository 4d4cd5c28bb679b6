import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import { meter } from '@hes/contract/asset/meter.ts';
import {
  dcuLog,
  dcuLogExport,
  MAX_CAPTURE_HOURS,
  type CaptureLevel,
  type CaptureRow,
  type LiveFrame,
} from '@hes/contract/debug/dcu-log.ts';
import { App, Button, Checkbox, DatePicker, Dropdown, Segmented, Select, Switch, Tabs } from 'antd';
import dayjs from 'dayjs';
import { FileJson, Rewind, ScrollText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { download } from '#core/files/download.ts';
import { failureText } from '#core/api/errors.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { refilter, useUrlState } from '#core/url/url-state.ts';
import { addDays, dateTime, daysBetween, localDay, serverNow } from '#core/time/format.ts';
import { grouped } from '#core/time/number.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { columnsOf } from './columns.tsx';
import { FrameDrawer } from './frame-drawer.tsx';
import { History } from './history.tsx';
import { LiveConsole } from './live-console.tsx';
import { texts } from './messages.ts';
import styles from './dcu-log.module.css';

const FILTERS = {
  direction: undefined,
  channel: undefined,
  service: undefined,
  failed: undefined,
  hex: undefined,
  meter: undefined,
  from: undefined,
  to: undefined,
};
const DEFAULTS = { ...FILTERS, node: undefined, view: 'live', page: '1', size: '100', frame: undefined, trace: undefined };
const LEVELS: CaptureLevel[] = ['off', 'errors', 'all'];
const FORMAT = 'YYYY-MM-DD';
const MAX_DAYS = 31;
const OWN_LOG_DAYS = 7;
const HOURS = [1, 4, 8, MAX_CAPTURE_HOURS];

type Scope = Pick<CaptureRow, 'direction' | 'meterIds'>;
const WHOLE: Scope = { direction: null, meterIds: [] };

/** The DCU of a node: the node itself, or the DCU of a meter. */
function useDcuOf(node: NodeKey | undefined): string | undefined {
  const { kind, id } = node === undefined ? { kind: undefined, id: '' } : nodeOf(node);
  const query = useApiQuery(meter.get, { params: { id }, enabled: kind === 'meter' });
  if (kind === 'dcu') return id;
  return kind === 'meter' ? (query.data?.dcuId ?? undefined) : undefined;
}

export default function DcuLogPage() {
  const t = useMessages(texts);
  const [url, setUrl] = useUrlState(DEFAULTS);
  const dcuId = useDcuOf(url.node);
  return (
    <div className={styles['page']}>
      <Panel title={t('nodes')} className={styles['main']}>
        <NodeTree selected={url.node} onSelect={(node) => setUrl(refilter({ node: node.key }))} />
      </Panel>
      <Panel flush label={t('title')} className={styles['main']}>
        {dcuId === undefined ? (
          <Empty kind="choose" text={t('selectNode')} hint={t('needsDcu')} />
        ) : (
          <Log key={dcuId} dcuId={dcuId} meterId={/^meter:(\d+)$/.exec(url.node ?? '')?.[1]} />
        )}
      </Panel>
      <FrameDrawer frame={url.frame} trace={url.trace} onClose={() => setUrl({ frame: undefined, trace: undefined })} />
    </div>
  );
}

function Log({ dcuId, meterId }: { dcuId: string; meterId: string | undefined }) {
  const t = useMessages(texts);
  const [url, setUrl] = useUrlState(DEFAULTS);
  const captures = useApiQuery(dcuLog.captures, { refetchMs: 30_000 });
  const isOn = captures.data?.items.some((capture) => capture.dcuId === dcuId) ?? false;
  const { direction, channel, service, failed, hex, meter: meterSn, from, to } = url;
  const isTooLong = from !== undefined && to !== undefined && daysBetween(from, to) > MAX_DAYS;
  const filter = { dcuId, direction, channel, service, failed, hex, meter: meterSn, from, to };
  const wanted = hex?.replaceAll(/\s/g, '').toUpperCase();
  const matches = (frame: LiveFrame) =>
    (direction === undefined || frame.direction === direction) &&
    (channel === undefined || frame.channel === channel) &&
    (service === undefined || frame.service.toLowerCase().includes(service.toLowerCase())) &&
    (failed === undefined || frame.result !== null) &&
    (meterSn === undefined || frame.meterSn?.includes(meterSn.toUpperCase()) === true) &&
    (wanted === undefined || frame.hex.includes(wanted));
  return (
    <>
      <CaptureBar dcuId={dcuId} meterId={meterId} filter={filter} onCleared={() => setUrl(refilter({}))} />
      <Tabs
        style={{ padding: '0 16px' }}
        tabBarStyle={{ margin: 0 }}
        activeKey={url.view ?? 'live'}
        aria-label={t('view')}
        items={(['live', 'history'] as const).map((key) => ({ key, label: t(key) }))}
        onChange={(view) => setUrl(refilter({ view }))}
      />
      <div className={styles['bar']} role="search">
        <Select
          allowClear
          style={{ width: 132 }}
          aria-label={t('direction')}
          placeholder={t('direction')}
          value={direction}
          options={(['down', 'up'] as const).map((value) => ({ value, label: t(value) }))}
          onChange={(value) => setUrl(refilter({ direction: value }))}
        />
        <Select
          allowClear
          style={{ width: 132 }}
          aria-label={t('channel')}
          placeholder={t('channel')}
          value={channel}
          options={(['D', 'M', 'P'] as const).map((value) => ({ value, label: t(`channel_${value}`) }))}
          onChange={(value) => setUrl(refilter({ channel: value }))}
        />
        <TextFilter label={t('service')} value={service} onChange={(value) => setUrl(refilter({ service: value }))} width={150} />
        <TextFilter
          label={t('meterSn')}
          value={meterSn}
          onChange={(value) => setUrl(refilter({ meter: value?.replaceAll(/\s/g, '') }))}
          width={150}
        />
        <TextFilter label={t('hex')} value={hex} onChange={(value) => setUrl(refilter({ hex: value }))} width={180} />
        {url.view === 'history' ? (
          <DatePicker.RangePicker
            aria-label={t('range')}
            value={from && to ? [dayjs(from), dayjs(to)] : null}
            {...(isTooLong ? { status: 'error' as const } : {})}
            onChange={(dates) => setUrl(refilter({ from: dates?.[0]?.format(FORMAT), to: dates?.[1]?.format(FORMAT) }))}
          />
        ) : null}
        <label className={styles['dim']}>
          <Switch
            size="small"
            aria-label={t('onlyFailed')}
            checked={failed !== undefined}
            onChange={(only) => setUrl(refilter({ failed: only ? 'true' : undefined }))}
          />{' '}
          {t('onlyFailed')}
        </label>
      </div>
      {isTooLong ? (
        <Empty text={t('rangeTooLong')} />
      ) : url.view === 'history' ? (
        <History
          {...{ filter, isOn }}
          page={url.page ?? '1'}
          size={url.size ?? '100'}
          onPage={(page, size) => setUrl({ page, size })}
          onOpen={(frame) => setUrl({ frame })}
        />
      ) : (
        <LiveConsole {...{ dcuId, isOn, matches }} onOpen={(frame) => setUrl({ trace: frame.traceId ?? undefined })} />
      )}
    </>
  );
}

interface CaptureBarProps {
  dcuId: string;
  /** The meter selected in the tree: the capture can be limited to it. */
  meterId: string | undefined;
  filter: Record<string, string | undefined>;
  onCleared: () => void;
}

/** Target and end of a capture, and actions on its frames. */
function CaptureBar({ dcuId, meterId, filter, onCleared }: CaptureBarProps) {
  const t = useMessages(texts);
  const may = useMay();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const [isClearing, setClearing] = useState(false);
  const [hours, setHours] = useState(MAX_CAPTURE_HOURS);
  const captures = useApiQuery(dcuLog.captures);
  const own = captures.data?.items.find((capture) => capture.dcuId === dcuId);
  const level = own?.level ?? 'off';
  const [wished, setWished] = useState<Scope>();
  const { direction, meterIds }: Scope = wished ?? own ?? WHOLE;
  const tell = (error: unknown) => void message.error(failureText(error), 0);
  const capture = useApiMutation(dcuLog.capture, { success: () => void captures.refetch(), failure: tell });
  const clear = useApiMutation(dcuLog.clear, {
    success: ({ removed }) => {
      void message.success(t('cleared', { count: removed }));
      setClearing(false);
      onCleared();
    },
  });
  const listen = (change: { level?: CaptureLevel; hours?: number } & Partial<Scope>) =>
    capture.mutate({ body: { dcuIds: [dcuId], level, hours, direction, meterIds, ...change } });
  const narrow = (change: Partial<Scope>) => {
    setWished({ direction, meterIds, ...change });
    if (level !== 'off') listen(change);
  };
  const ownLog = useApiMutation(dcuLog.device, {
    success: ({ taskId }) => void navigate(`/action/event-reading?task=${taskId}`),
    failure: tell,
  });
  const replay = useApiMutation(dcuLog.replay, {
    success: ({ devices, answers }) =>
      void message.success(devices === 0 ? t('replayEnded') : t('replaying', { count: answers, devices }), 8),
    failure: tell,
  });
  const today = localDay(serverNow());
  return (
    <div className={styles['bar']}>
      <span>{t('capture')}</span>
      <Segmented
        aria-label={t('capture')}
        disabled={!may(dcuLog.capture) || capture.isPending}
        value={level}
        options={LEVELS.map((value) => ({ value, label: t(`level_${value}`) }))}
        onChange={(value) => listen({ level: value as CaptureLevel /* as: of LEVELS */ })}
      />
      {may(dcuLog.capture) ? (
        <Select
          aria-label={t('endsIn')}
          title={t('endsIn')}
          style={{ width: 108 }}
          value={hours}
          options={HOURS.map((value) => ({ value, label: t('hours', { count: value }) }))}
          onChange={(value) => {
            setHours(value);
            if (level !== 'off') listen({ hours: value });
          }}
        />
      ) : null}
      {may(dcuLog.capture) ? (
        <Select
          aria-label={t('directions')}
          style={{ width: 116 }}
          value={direction ?? 'both'}
          options={(['both', 'down', 'up'] as const).map((value) => ({ value, label: t(value) }))}
          onChange={(value: 'both' | 'down' | 'up') => narrow({ direction: value === 'both' ? null : value })}
        />
      ) : null}
      {may(dcuLog.capture) && (meterId !== undefined || meterIds.length > 0) ? (
        <Checkbox
          checked={meterIds.length > 0}
          onChange={(event) => narrow({ meterIds: event.target.checked && meterId !== undefined ? [meterId] : [] })}
        >
          {own?.meterSns.length ? t('onlyMeters', { sns: own.meterSns.map(grouped).join(', ') }) : t('onlyMeter')}
        </Checkbox>
      ) : null}
      <span className={styles['dim']}>{own?.endsAt ? t('endsAt', { at: dateTime(own.endsAt), name: own.setBy ?? '—' }) : t('isOff')}</span>
      <span className={styles['space']} />
      {may(dcuLog.device) ? (
        <Button
          icon={<ScrollText size={14} aria-hidden="true" />}
          loading={ownLog.isPending}
          onClick={() =>
            ownLog.mutate({
              body: { dcuId, from: filter['from'] ?? addDays(filter['to'] ?? today, 1 - OWN_LOG_DAYS), to: filter['to'] ?? today },
            })
          }
        >
          {t('ownLog')}
        </Button>
      ) : null}
      {may(dcuLog.replay) ? (
        <Dropdown
          trigger={['click']}
          menu={{
            items: [
              { key: 'on', label: t('replayStart') },
              { key: 'off', label: t('replayStop') },
            ],
            onClick: ({ key }) => replay.mutate({ body: { dcuId, isOn: key === 'on', meter: filter['meter'] } }),
          }}
        >
          <Button icon={<Rewind size={14} aria-hidden="true" />} loading={replay.isPending}>
            {t('replay')}
          </Button>
        </Dropdown>
      ) : null}
      <ExportButton routes={dcuLogExport} filter={filter} columns={columnsOf(t)} />
      {may(dcuLog.ndjson) ? (
        <Button
          icon={<FileJson size={14} aria-hidden="true" />}
          onClick={() => download(dcuLog.ndjson, { query: filter as never /* as: the address holds texts */ }).catch(tell)}
        >
          {t('ndjson')}
        </Button>
      ) : null}
      {may(dcuLog.clear) ? (
        <Button danger icon={<Trash2 size={14} aria-hidden="true" />} onClick={() => setClearing(true)}>
          {t('clear')}
        </Button>
      ) : null}
      {isClearing ? (
        <DangerDialog
          title={t('sureToClear')}
          effect={t('clearEffect')}
          action={t('clear')}
          busy={clear.isPending}
          failure={clear.error?.message}
          onConfirm={() => clear.mutate({ body: { dcuId } })}
          onClose={() => setClearing(false)}
        />
      ) : null}
    </div>
  );
}
