import type { LiveFrame, LiveLog } from '@hes/contract/debug/dcu-log.ts';
import { useQuery } from '@tanstack/react-query';
import { Button, Switch } from 'antd';
import { ArrowDownLeft, ArrowUpRight, Pause, Play } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { preciseTime } from '#core/time/format.ts';
import { grouped } from '#core/time/number.ts';
import { Empty } from '#kit/basics/states.tsx';
import { resultText, spaced } from './frame-text.ts';
import { texts } from './messages.ts';
import styles from './dcu-log.module.css';

interface LiveConsoleProps {
  dcuId: string;
  isOn: boolean;
  matches: (frame: LiveFrame) => boolean;
  onOpen: (frame: LiveFrame) => void;
}

const NONE: LiveLog = { frames: [], left: 0 };

/** Frames live. Paused, it keeps its position and counts new frames; following, it scrolls to the newest. */
export function LiveConsole({ dcuId, isOn, matches, onOpen }: LiveConsoleProps) {
  const t = useMessages(texts);
  const say = useSay();
  useTopic(`dculog:${dcuId}`);
  // Filled by the live socket only.
  const {
    data: { frames: all, left },
  } = useQuery<LiveLog>({
    queryKey: ['dculog', dcuId],
    queryFn: () => NONE,
    enabled: false,
    initialData: NONE,
  });
  const [frozen, setFrozen] = useState<LiveFrame[]>();
  const [follows, setFollows] = useState(true);
  const end = useRef<HTMLDivElement>(null);
  const frames = (frozen ?? all).filter(matches);
  const newest = frames.at(-1)?.key;
  useEffect(() => {
    if (newest !== undefined && follows && frozen === undefined) end.current?.scrollIntoView({ block: 'end' });
  }, [newest, follows, frozen]);
  const fresh = frozen === undefined ? 0 : all.length - all.findIndex(({ key }) => key === frozen.at(-1)?.key) - 1;
  return (
    <>
      <div className={styles['bar']}>
        <Button
          size="small"
          icon={frozen ? <Play size={13} aria-hidden="true" /> : <Pause size={13} aria-hidden="true" />}
          onClick={() => setFrozen(frozen ? undefined : all)}
        >
          {frozen ? t('resume', { count: fresh }) : t('pause')}
        </Button>
        <label className={styles['dim']}>
          <Switch size="small" checked={follows} onChange={setFollows} aria-label={t('follow')} /> {t('follow')}
        </label>
        <span className={styles['space']} />
        {left > 0 ? <span role="status">{t('sampled', { count: left })}</span> : null}
        <span className={styles['dim']}>{t('masked')}</span>
      </div>
      {frames.length === 0 ? (
        <Empty text={t(isOn ? 'waiting' : 'isOff')} hint={t(isOn ? 'waitingHint' : 'isOffHint')} />
      ) : (
        <div className={styles['console']} role="log" aria-label={t('live')} aria-live="off">
          {frames.map((frame) => (
            <button
              type="button"
              key={frame.key}
              className={styles['line']}
              data-direction={frame.direction}
              data-failed={frame.result !== null}
              onClick={() => onOpen(frame)}
            >
              <span>{preciseTime(frame.at)}</span>
              {frame.direction === 'down' ? (
                <ArrowUpRight size={14} aria-label={t('down')} />
              ) : (
                <ArrowDownLeft size={14} aria-label={t('up')} />
              )}
              <span>{frame.meterSn === null ? t(`channel_${frame.channel}`) : grouped(frame.meterSn)}</span>
              <span>{frame.service}</span>
              <span>{spaced(frame.hex)}</span>
              <span>{frame.latencyMs === null ? '' : `${frame.latencyMs} ms`}</span>
              <span>{resultText(frame.result, say)}</span>
            </button>
          ))}
          <div ref={end} />
        </div>
      )}
    </>
  );
}
