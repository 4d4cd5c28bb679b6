import type { Health } from '@hes/contract/status/cause.ts';
import type { ReactNode } from 'react';
import { CopyButton, Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { HEALTH } from './signs.ts';
import styles from './status.module.css';

interface StatusHeadProps {
  icon: ReactNode;
  sn: string;
  /** A number that is not written in groups. */
  isPlain?: boolean;
  place: readonly (string | null | undefined)[];
  health: Health;
  states: ReactNode;
  children: ReactNode;
}

/** Name, place and judgement of the device, with the actions that are always offered. */
export function StatusHead({ icon, sn, isPlain, place, health, states, children }: StatusHeadProps) {
  return (
    <header className={styles['head']} data-health={health}>
      <span className={styles['icon']}>{icon}</span>
      <div className={styles['name']}>
        <h2>
          {isPlain ? <span className="mono">{sn}</span> : <Sn sn={sn} />}
          <CopyButton text={sn} />
        </h2>
        <p>{place.filter(Boolean).join(' · ')}</p>
      </div>
      <div className={styles['states']}>
        <StateOf tag sign={HEALTH[health]} />
        {states}
      </div>
      <div className={styles['buttons']}>{children}</div>
    </header>
  );
}
