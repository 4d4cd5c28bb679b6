import { dcuName, deviceSn } from '@hes/contract/text/device-name.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { runItemStateOf, type Ordered } from '@hes/contract/task/words.ts';
import type { ReactNode } from 'react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { preciseTime } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { CopyButton, Sn } from '#kit/basics/text.tsx';
import { Frames } from '#domain/frames/frames.tsx';
import { DcuIcon, MeterIcon } from '#domain/node-tree/device-icons.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { itemSign } from '#domain/states/tables.ts';
import { reasonOf } from './run-columns.tsx';
import { texts } from './texts.ts';
import styles from './live-run.module.css';

/** One device of a run: its results (the children) and its frames in both directions. */
export function ItemPane({ of, item, children }: { of: Ordered; item: TaskItemRow | undefined; children?: ReactNode }) {
  const t = useMessages(texts);
  const say = useSay();
  if (!item)
    return (
      <Panel label={t('selected')} className={`${styles['pane']} ${styles['nothing']}`}>
        <Empty kind="choose" text={t('pickOne')} />
      </Panel>
    );
  const Icon = item.deviceKind === 'dcu' ? DcuIcon : MeterIcon;
  const reason = item.state === 'read_fail' ? reasonOf(item, say) : null;
  return (
    <Panel flush label={t('selected')} className={styles['pane']}>
      <header className={styles['paneHead']}>
        <span className={styles['badge']}>
          <Icon size={20} aria-hidden="true" />
        </span>
        <div>
          <h2>
            <Sn sn={deviceSn(item)} />
            <CopyButton text={deviceSn(item)} />
          </h2>
          <p>{[item.transformerName, dcuName(item, say)].filter(Boolean).join(' · ')}</p>
        </div>
        <p className={styles['paneState']}>
          <StateOf sign={itemSign(of, runItemStateOf(item))} />
          {item.finishedAt ? <span>{preciseTime(item.finishedAt)}</span> : null}
          {item.latencyMs === null ? null : <span>{figure(item.latencyMs / 1000, 2)} s</span>}
        </p>
      </header>
      <div className={styles['paneBody']}>
        {reason ? (
          <p className={styles['paneReason']} data-reason={item.reasonCode}>
            {reason}
          </p>
        ) : null}
        {children}
        <h3 className={styles['section']}>{t('trace')}</h3>
        <Frames traceId={item.traceId} />
      </div>
    </Panel>
  );
}
