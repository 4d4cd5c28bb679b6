import { CircleCheck, CloudOff, Inbox, MousePointerClick, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { failureText, RequestFailed } from '#core/api/errors.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { PlainButton } from '#kit/plain/plain-button.tsx';
import styles from './states.module.css';

const EMPTY_ICONS = { nothing: Inbox, choose: MousePointerClick, fine: CircleCheck };

interface EmptyProps {
  text: string;
  hint?: string | undefined;
  action?: ReactNode;
  /** A line of text instead of a picture. */
  small?: boolean;
  /** The reason of the empty state: no data, no selection yet, or no problems. */
  kind?: keyof typeof EMPTY_ICONS;
}

/** An empty state: why there is no data, and an action. */
export function Empty({ text, hint, action, small, kind = 'nothing' }: EmptyProps) {
  const Icon = EMPTY_ICONS[kind];
  return (
    <div className={small ? styles['small'] : styles['state']} role="status">
      {small ? null : (
        <span className={styles['disc']}>
          <Icon size={22} aria-hidden="true" />
        </span>
      )}
      <p className={styles['text']}>{text}</p>
      {hint ? <p className={styles['hint']}>{hint}</p> : null}
      {action}
    </div>
  );
}

/** The error of the server, and a retry button. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const t = useMessages(common);
  const status =
    error instanceof RequestFailed && error.failure.status > 0 ? `${error.failure.status} ${error.failure.code ?? ''}` : undefined;
  return (
    <div className={styles['state']} role="alert">
      <span className={styles['disc']}>
        <CloudOff size={22} aria-hidden="true" />
      </span>
      <p className={styles['text']}>{failureText(error)}</p>
      {status ? <p className={`${styles['hint']} mono`}>{status}</p> : null}
      {onRetry ? (
        <PlainButton size="small" icon={<RotateCw size={13} aria-hidden="true" />} onClick={onRetry}>
          {t('tryAgain')}
        </PlainButton>
      ) : null}
    </div>
  );
}

/** Placeholder bars while data loads. They appear after a delay, so that fast responses do not flicker. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  const t = useMessages(common);
  return (
    <div className={styles['skeleton']} data-skeleton role="status" aria-label={t('loading')}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} style={{ width: `${92 - ((index * 23) % 50)}%` }} />
      ))}
    </div>
  );
}

/** The part of a query result that is used here. */
export interface Loaded<T> {
  data: T | undefined;
  isError: boolean;
  error: unknown;
  refetch: () => unknown;
}

interface PanelStateProps<T> {
  query: Loaded<T>;
  lines?: number;
  isEmpty?: (data: T) => boolean;
  empty?: ReactNode;
  children: (data: T) => ReactNode;
}

/** The four states of loaded data: loading, data, empty, error. */
export function PanelState<T>({ query, lines, isEmpty, empty, children }: PanelStateProps<T>) {
  if (query.data === undefined && query.isError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Skeleton lines={lines ?? 4} />;
  if (isEmpty?.(query.data)) return empty;
  return children(query.data);
}
