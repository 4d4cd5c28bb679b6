import { trace, type DecodedNode, type TraceFrame } from '@hes/contract/trace/trace.ts';
import { ArrowDownLeft, ArrowUpRight, ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { isLoaded } from '@hes/contract/states/loaded.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay, useMe } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { preciseTime } from '#core/time/format.ts';
import { CopyButton } from '#kit/basics/text.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { FieldTree } from './field-tree.tsx';
import { HexView, type Range } from './hex-view.tsx';
import { messages } from './messages.ts';
import styles from './frames.module.css';

/** Bytes above, decoded fields below. Hovering a field marks its bytes, a click keeps the mark. */
function Decoded({ title, hex, nodes }: { title: string; hex: string; nodes: DecodedNode[] }) {
  const [hover, setHover] = useState<Range | undefined>();
  const [pinned, setPinned] = useState<Range | undefined>();
  return (
    <div className={styles['decoded']}>
      <h4>
        {title}
        <CopyButton text={hex} />
      </h4>
      <HexView hex={hex} range={hover ?? pinned} label={title} />
      <FieldTree nodes={nodes} onMark={(range, pin) => (pin ? setPinned(range) : setHover(range))} />
    </div>
  );
}

function Frame({ frame, initiallyOpen }: { frame: TraceFrame; initiallyOpen: boolean }) {
  const t = useMessages(messages);
  const [open, setOpen] = useState(initiallyOpen);
  const down = frame.direction === 'down';
  const Direction = down ? ArrowUpRight : ArrowDownLeft;
  const Arrow = open ? ChevronDown : ChevronRight;
  return (
    <li className={styles['frame']} data-direction={frame.direction}>
      <button type="button" className={styles['frameHead']} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Direction size={14} aria-hidden="true" />
        <span>{t(down ? 'sent' : 'received')}</span>
        <span className="mono">{preciseTime(frame.at)}</span>
        <span className={styles['dim']}>{t('bytes', { count: frame.hex.length / 2 })}</span>
        {frame.error ? <span className={styles['broken']}>{frame.error}</span> : null}
        <Arrow size={14} aria-hidden="true" className={styles['arrow']} />
      </button>
      {open ? (
        <>
          <Decoded title={t('onWire')} hex={frame.hex} nodes={frame.wire} />
          {frame.plainHex === null ? null : <Decoded title={t('deciphered')} hex={frame.plainHex} nodes={frame.plain ?? []} />}
        </>
      ) : (
        <p className={`mono ${styles['hexLine']}`}>{frame.hex.replaceAll(/(..)(?=.)/g, '$1 ')}</p>
      )}
    </li>
  );
}

const ANSWER = /get-?response|data-?notification$/i;

/** Index of the frame to open: the first response to a read or an unsolicited message, else the last frame. */
function firstOpen(frames: TraceFrame[]): number {
  const at = frames.findIndex(
    (frame) => frame.direction === 'up' && [...(frame.plain ?? []), ...frame.wire].some((node) => ANSWER.test(node.name)),
  );
  return at < 0 ? frames.length - 1 : at;
}

/** The frames of a trace, decoded. */
export function Frames({ traceId }: { traceId: string | null }) {
  const t = useMessages(messages);
  const { data: me } = useMe();
  const isAllowed = useMay()(trace.get);
  const hasFrames = traceId !== null && !isLoaded(traceId);
  const query = useApiQuery(trace.get, { params: { id: traceId ?? '' }, enabled: hasFrames && isAllowed, staleMs: Infinity });
  if (me !== undefined && !isAllowed) return <Empty text={t('notAllowed')} />;
  if (!hasFrames) return <Empty text={t(traceId === null ? 'none' : 'loaded')} />;
  return (
    <PanelState query={query} isEmpty={(data) => data.frames.length === 0} empty={<Empty text={t('none')} />}>
      {(data) => (
        <>
          <p className={styles['note']}>
            {data.frames[0]?.direction === 'up' ? `${t('unasked')} · ` : null}
            {t('bytes', { count: data.bytes })} · {t('took', { ms: data.durationMs })} · {t('hintHover')}
          </p>
          <ol className={styles['list']} aria-label={t('frames')}>
            {data.frames.map((frame, index) => (
              <Frame key={`${frame.at}-${index}`} frame={frame} initiallyOpen={index === firstOpen(data.frames)} />
            ))}
          </ol>
        </>
      )}
    </PanelState>
  );
}
