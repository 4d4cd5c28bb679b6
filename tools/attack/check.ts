import type { Attacked } from './attacked.ts';

/** What came of an attack: whether the product held, and the figures that say so. */
export interface Finding {
  held: boolean;
  evidence: string;
}

interface Declared {
  /** Numbers of the findings (F…) and of the security checks (D…) that this one answers. */
  ids: readonly [string, ...string[]];
  /** What the attacker does. */
  title: string;
}

/** An attack on a running product. */
export interface Attack extends Declared {
  /** Part of the short form that runs in `npm test`. */
  isShort?: true;
  /** How long it may take; three minutes when not said. */
  mostMs?: number;
  attempt(target: Attacked, trial: Trial): Promise<void>;
}

/** A check that this tool does not make, with the reason. */
export interface Unchecked extends Declared {
  notChecked: string;
}

export type Check = Attack | Unchecked;

/**
 * Collects what one attack saw. A control is something that is permitted and must work; without it a refusal proves nothing, so the
 * attack fails when a control does not work, and also when it has none.
 */
export class Trial {
  #controls = 0;
  readonly #faults: string[] = [];
  readonly #seen: string[] = [];

  /** Something permitted that works. */
  control(what: string, works: boolean): void {
    this.#controls++;
    if (!works) this.#faults.push(`control does not work: ${what}`);
  }

  /** Something that the product must refuse or withstand. */
  refuses(what: string, holds: boolean): void {
    if (holds) this.#seen.push(what);
    else this.#faults.push(`attack succeeds: ${what}`);
  }

  finding(): Finding {
    const faults = [...this.#faults];
    if (this.#controls === 0) faults.push('no control was made');
    if (this.#seen.length === 0 && faults.length === 0) faults.push('nothing was attacked');
    return { held: faults.length === 0, evidence: (faults.length > 0 ? faults : this.#seen).join('; ') };
  }
}
