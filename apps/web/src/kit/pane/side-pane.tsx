import { Button } from 'antd';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import styles from './side-pane.module.css';

interface PaneHeadProps {
  icon: ReactNode;
  title: ReactNode;
  place: string;
  state?: ReactNode;
  /** Opens the neighbouring row of the list; undefined: there is none. */
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  onClose: () => void;
}

/** The buttons to the neighbouring rows of the list, and the one that closes the pane. */
export function stepsOf(
  rows: readonly { id: string }[],
  id: string,
  select: (id: string | undefined) => void,
): Pick<PaneHeadProps, 'onPrevious' | 'onNext' | 'onClose'> {
  const at = rows.findIndex((row) => row.id === id);
  const before = rows[at - 1];
  const after = at === -1 ? undefined : rows[at + 1];
  return {
    onPrevious: before && (() => select(before.id)),
    onNext: after && (() => select(after.id)),
    onClose: () => select(undefined),
  };
}

/** A pane of full height next to a list that stays usable. */
export function SidePane({ label, children }: { label: string; children: ReactNode }) {
  return (
    <aside className={styles['pane']} aria-label={label}>
      {children}
    </aside>
  );
}

export function PaneHead({ icon, title, place, state, onPrevious, onNext, onClose }: PaneHeadProps) {
  const t = useMessages(common);
  return (
    <header className={styles['head']}>
      <span className={styles['badge']}>{icon}</span>
      <div className={styles['who']}>
        <h2>{title}</h2>
        <p>{place}</p>
      </div>
      <Button
        type="text"
        aria-label={t('previous')}
        disabled={!onPrevious}
        icon={<ChevronUp size={17} aria-hidden="true" />}
        {...(onPrevious ? { onClick: onPrevious } : {})}
      />
      <Button
        type="text"
        aria-label={t('next')}
        disabled={!onNext}
        icon={<ChevronDown size={17} aria-hidden="true" />}
        {...(onNext ? { onClick: onNext } : {})}
      />
      <Button type="text" aria-label={t('close')} icon={<X size={17} aria-hidden="true" />} onClick={onClose} />
      {state ? <div className={styles['state']}>{state}</div> : null}
    </header>
  );
}

export const PaneActions = ({ children }: { children: ReactNode }) => <div className={styles['actions']}>{children}</div>;

export function PaneSection({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section className={styles['section']}>
      <h3>
        {title}
        {note ? <span>{note}</span> : null}
      </h3>
      {children}
    </section>
  );
}
