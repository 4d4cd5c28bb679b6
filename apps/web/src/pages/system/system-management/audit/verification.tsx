import { audit, type AuditCheck } from '@hes/contract/manager/audit.ts';
import { CHAIN_BREAK_TEXT, CHAIN_TEXT, CHAINS, type Chain } from '@hes/contract/audit/actions.ts';
import { Alert, Button, Modal, Progress } from 'antd';
import { ShieldCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import { call } from '#core/api/client.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { CopyButton } from '#kit/basics/text.tsx';
import { texts } from './texts.ts';
import styles from './audit.module.css';

interface Walk {
  checked: number;
  /** The result of the last verified part. */
  last: AuditCheck | undefined;
  failure: string | undefined;
}

/** Verifies the whole chain part by part, until its end or a break. */
function useWalk(chain: Chain): Walk {
  const [walk, setWalk] = useState<Walk>({ checked: 0, last: undefined, failure: undefined });
  useEffect(() => {
    const stop = new AbortController();
    const run = async () => {
      let after: string | undefined;
      let checked = 0;
      do {
        const answer = await call(audit.verify, { query: { chain, after }, signal: stop.signal });
        if (!answer.ok) return setWalk((old) => ({ ...old, failure: answer.error.message }));
        checked += answer.data.checked;
        const last = answer.data;
        setWalk({ checked, last, failure: undefined });
        after = last.next ?? undefined;
      } while (after !== undefined);
      return undefined;
    };
    // Rejects only when the dialog was closed meanwhile.
    run().catch(() => undefined);
    return () => stop.abort();
  }, [chain]);
  return walk;
}

/** Verifies all hash-chained logs, and compares their ends with the copy outside the database. */
export function Verification({ onClose, onShow }: { onClose: () => void; onShow: (id: string) => void }) {
  const t = useMessages(texts);
  return (
    <Modal
      open
      centered
      width={620}
      title={
        <span className={styles['head']}>
          <ShieldCheck size={18} aria-hidden="true" />
          {t('verifyTitle')}
        </span>
      }
      onCancel={onClose}
      footer={
        <Button type="primary" onClick={onClose}>
          {t('close')}
        </Button>
      }
    >
      <div className={styles['verification']}>
        <p>{t('verifying')}</p>
        {CHAINS.map((chain) => (
          <ChainWalk key={chain} chain={chain} onShow={chain === 'audit' ? onShow : undefined} />
        ))}
        <p>{t('lastHash')}</p>
      </div>
    </Modal>
  );
}

function ChainWalk({ chain, onShow }: { chain: Chain; onShow: ((id: string) => void) | undefined }) {
  const t = useMessages(texts);
  const say = useSay();
  const { checked, last, failure } = useWalk(chain);
  const broken = last?.brokenId ?? undefined;
  const isDone = last !== undefined && last.next === null;
  const percent = last === undefined || last.total === 0 ? 0 : Math.min(100, Math.floor((checked / last.total) * 100));
  return (
    <section className={styles['chain']} aria-label={say(CHAIN_TEXT[chain])}>
      <h3>{say(CHAIN_TEXT[chain])}</h3>
      <Progress
        percent={isDone && broken === undefined ? 100 : percent}
        aria-label={say(CHAIN_TEXT[chain])}
        status={broken !== undefined || failure ? 'exception' : isDone ? 'success' : 'active'}
      />
      {failure ? <Alert type="error" showIcon role="alert" title={failure} /> : null}
      {broken === undefined ? null : (
        <Alert
          type="error"
          showIcon
          role="alert"
          title={t(last?.brokenBy ?? 'changed', { id: broken, count: checked })}
          action={
            onShow ? (
              <Button size="small" onClick={() => onShow(broken)}>
                {t('showBroken')}
              </Button>
            ) : undefined
          }
        />
      )}
      {isDone && last?.anchor ? <Outside anchor={last.anchor} /> : null}
      {isDone && broken === undefined ? <Alert type="success" showIcon role="status" title={t('whole', { count: checked })} /> : null}
      {isDone && broken === undefined && last.lastHash !== null ? (
        <p className={`mono ${styles['hash']}`}>
          #{last.lastId} {last.lastHash} <CopyButton text={last.lastHash} />
        </p>
      ) : null}
    </section>
  );
}

/** The result of comparing the end of the log with the copy outside the database. */
function Outside({ anchor }: { anchor: NonNullable<AuditCheck['anchor']> }) {
  const t = useMessages(texts);
  const say = useSay();
  // Nothing is stored for an empty log.
  if (anchor.breaks.length === 0 && anchor.id === '0') return null;
  if (anchor.breaks.length === 0)
    return <Alert type="success" showIcon role="status" title={t('anchored', { id: anchor.id, at: dateTime(anchor.at) })} />;
  return anchor.breaks.map(({ at, kind, anchoredId, foundId }) => (
    <Alert
      key={`${at} ${foundId}`}
      type={kind === 'anchor_lost' ? 'warning' : 'error'}
      showIcon
      role="alert"
      title={t('anchorBroken', { at: dateTime(at), finding: say(CHAIN_BREAK_TEXT[kind]), anchored: anchoredId, found: foundId })}
    />
  ));
}
