import type { Attacked } from './attacked.ts';

/** Result of an attack: whether the product held, with the figures as evidence. */
export interface Finding {
  held: boolean;
  evidence: string;
}

interface Declared {
  /** Numbers of the findings (F…) and of the security checks (D…) that this check covers. */
  ids: readonly [string, ...string[]];
  /** Actions of the attacker. */
  title: string;
}

/** An attack on a running product. */
export interface Attack extends Declared {
  /** Part of the short form that runs in `npm test`. */
  isShort?: true;
  /** Time limit in milliseconds; default: three minutes. */
  mostMs?: number;
  attempt(target: Attacked, trial: Trial): Promise<void>;
}

/** A check that this tool does not perform, with the reason. */
export interface Unchecked extends Declared {
  notChecked: string;
}

export type Check = Attack | Unchecked;

/**
 * Collects the observations of one attack. A control is a permitted action that must work: without it a refusal proves
 * nothing. The attack therefore fails without a control and with a failed one.
 */
export class Trial {
  #controls = 0;
  readonly #faults: string[] = [];
  readonly #seen: string[] = [];

  /** Records a permitted action that must work. */
  control(what: string, works: boolean): void {
    this.#controls++;
    if (!works) this.#faults.push(`control does not work: ${what}`);
  }

  /** Records an attack that the product must refuse or withstand. */
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
