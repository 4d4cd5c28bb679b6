import { to } from '@hes/contract/page/links.ts';
import { dcuLog, MAX_CAPTURE_HOURS, type CaptureLevel, type CaptureRow } from '@hes/contract/debug/dcu-log.ts';
import { App, Button, Checkbox, Dropdown, Segmented, Select } from 'antd';
import { FileJson, Rewind, ScrollText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { failureText } from '#core/api/errors.ts';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { download } from '#core/files/download.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { addDays, dateTime, localDay, serverNow } from '#core/time/format.ts';
import { grouped } from '#core/time/number.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import type { ListState } from '#kit/list/use-list.ts';
import { texts } from './messages.ts';
import styles from './dcu-log.module.css';

const LEVELS: CaptureLevel[] = ['off', 'errors', 'all'];
const OWN_LOG_DAYS = 7;
const HOURS = [1, 4, 8, MAX_CAPTURE_HOURS];

type Scope = Pick<CaptureRow, 'direction' | 'meterIds'>;
const WHOLE: Scope = { direction: null, meterIds: [] };

interface CaptureBarProps {
  dcuId: string;
  /** The meter selected in the tree: the capture can be limited to it. */
  meterId: string | undefined;
  list: ListState<typeof dcuLog.list>;
}

/** Target and end of a capture, and actions on its frames. */
export function CaptureBar({ dcuId, meterId, list }: CaptureBarProps) {
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
      list.changed();
    },
  });
  const listen = (change: { level?: CaptureLevel; hours?: number } & Partial<Scope>) =>
    capture.mutate({ body: { dcuIds: [dcuId], level, hours, direction, meterIds, ...change } });
  const narrow = (change: Partial<Scope>) => {
    setWished({ direction, meterIds, ...change });
    if (level !== 'off') listen(change);
  };
  const ownLog = useApiMutation(dcuLog.device, {
    success: ({ taskId }) => void navigate(to.eventReading({ task: taskId })),
    failure: tell,
  });
  const replay = useApiMutation(dcuLog.replay, {
    success: ({ devices, answers }) =>
      void message.success(devices === 0 ? t('replayEnded') : t('replaying', { count: answers, devices }), 8),
    failure: tell,
  });
  const { from, to: last = localDay(serverNow()), meter } = list.filter;
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
              body: { dcuId, from: from ?? addDays(last, 1 - OWN_LOG_DAYS), to: last },
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
            onClick: ({ key }) => replay.mutate({ body: { dcuId, isOn: key === 'on', meter } }),
          }}
        >
          <Button icon={<Rewind size={14} aria-hidden="true" />} loading={replay.isPending}>
            {t('replay')}
          </Button>
        </Dropdown>
      ) : null}
      {may(dcuLog.ndjson) ? (
        <Button
          icon={<FileJson size={14} aria-hidden="true" />}
          onClick={() => download(dcuLog.ndjson, { query: { ...list.filter, dcuId } }).catch(tell)}
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
