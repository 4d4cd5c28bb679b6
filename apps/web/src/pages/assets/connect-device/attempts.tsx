import type { Progress } from '@hes/contract/asset/connecting.ts';
import { CLOSE_REASON_TEXT } from '@hes/contract/states/device.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import styles from './connect.module.css';

type Attempt = Omit<Progress['attempts'][number], 'closedAt'>;

/** Connections with the reasons of their ends, newest first. */
export function Attempts({ rows }: { rows: readonly Attempt[] }) {
  const say = useSay();
  return (
    <ul className={styles['attempts']}>
      {rows.map((row) => (
        <li key={`${row.openedAt} ${row.remote}`}>
          <span className="mono">{row.remote}</span>
          <span>{row.closeReason ? say(CLOSE_REASON_TEXT[row.closeReason]) : '—'}</span>
          <span className={styles['hint']}>{row.closeDetail}</span>
          <small>{dateTime(row.openedAt)}</small>
        </li>
      ))}
    </ul>
  );
}
