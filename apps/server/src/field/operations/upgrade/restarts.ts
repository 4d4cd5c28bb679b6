/** Upgrades that are remembered; few run at the same time. */
const KEPT_JOBS = 20;

/**
 * How long devices of an upgrade are away when they take their image into use, learnt from the first that came back. Who asks sooner
 * waits for an answer that cannot come, and nobody else is served by the DCU meanwhile.
 */
export class Restarts {
  readonly #shortest = new Map<string, number>();

  cameBack(jobId: string, afterMs: number): void {
    this.#shortest.set(jobId, Math.min(afterMs, this.#shortest.get(jobId) ?? Number.POSITIVE_INFINITY));
    if (this.#shortest.size > KEPT_JOBS) this.#shortest.delete(this.#shortest.keys().next().value ?? '');
  }

  /** Undefined as long as none of the upgrade is back. */
  expectedMs(jobId: string): number | undefined {
    return this.#shortest.get(jobId);
  }
}
