import type { Health } from '@hes/contract/status/cause.ts';
import type { ReactNode } from 'react';
import { CopyButton, Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { HEALTH } from './signs.ts';
import styles from './status.module.css';

interface StatusHeadProps {
  icon: ReactNode;
  sn: string;
  /** A serial number is written in groups, the number of a customer is not, and a name is no number. */
  writtenAs?: 'serial' | 'number' | 'name';
  place: readonly (string | null | undefined)[];
  health: Health;
  states: ReactNode;
  children: ReactNode;
}

/** Name, place and judgement of the device, with the actions that are always offered. */
export function StatusHead({ icon, sn, writtenAs = 'serial', place, health, states, children }: StatusHeadProps) {
  return (
    <header className={styles['head']} data-health={health}>
      <span className={styles['icon']}>{icon}</span>
      <div className={styles['name']}>
        <h2>
          {writtenAs === 'serial' ? <Sn sn={sn} /> : <span className={writtenAs === 'number' ? 'mono' : undefined}>{sn}</span>}
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
