/** A mistake in the product's code, planted at load time, that the simulation must find. */
export interface Mutant {
  name: string;
  file: string;
  /** Texts that occur once in the file, with their replacements. */
  edits: readonly (readonly [from: string, to: string])[];
}

const SERVER = 'apps/server/src';

/** Mutants of the reliability review first. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'mark-before-commit',
    file: `${SERVER}/field/profiles/watermarks.ts`,
    edits: [['(allOf(stored) ?? Promise.resolve()).then(', 'Promise.resolve().then(']],
  },
  {
    name: 'silent-dcu-never-given-up',
    file: `${SERVER}/field/session-registry.ts`,
    edits: [["if (idleMs > session.maxIdleMs) session.close('heartbeat_lost');", 'if (idleMs > Infinity) return;']],
  },
  {
    name: 'change-behind-the-stored-row-unseen',
    file: `${SERVER}/field/profiles/doubts.ts`,
    edits: [["else if (row < 0) doubts.push('absent');", 'else if (row < 0) return [];']],
  },
  {
    name: 'two-periods-merged-by-index',
    file: `${SERVER}/storage/merge-rows.ts`,
    edits: [
      [
        'if (isSameGrid(row, grid)) return row;',
        'if (isSameGrid(row, grid)) return row;\n  if (row.periodSeconds > 0) return { ...row, ...grid };',
      ],
    ],
  },
  {
    name: 'lease-ignored',
    file: `${SERVER}/tasks/dispatcher.ts`,
    edits: [
      ['await renewLeases(this.#ctx.pool, this.owner, this.#tools.inFlight.ids);', ''],
      ['releaseDeadLeases(this.#ctx.pool, this.owner, this.#tools.inFlight.ids)', 'releaseDeadLeases(this.#ctx.pool, this.owner, [])'],
    ],
  },
  {
    name: 'relay-sent-twice-after-restart',
    file: `${SERVER}/features/relay/operation.ts`,
    edits: [
      [
        'command.isSent ? confirmLater(tools, work, command) : executeCommand(tools, work, command),',
        'executeCommand(tools, work, command),',
      ],
      ["if (reserved === 'sent_before') return confirmSwitch(tools, work, command);", ''],
      [
        "if (reserved !== 'reserved') return failed(BLOCKED[reserved]);",
        "if (reserved !== 'reserved' && reserved !== 'sent_before') return failed(BLOCKED[reserved]);",
      ],
    ],
  },
  {
    name: 'success-before-commit',
    file: `${SERVER}/tasks/worker.ts`,
    edits: [['    await report.stored;\n', '    void report.stored?.catch(() => undefined);\n']],
  },
  {
    name: 'counters-used-again-after-restart',
    file: `${SERVER}/field/counters.ts`,
    edits: [['rangeAt(await reserveSpan(this.#pool, SPAN), SPAN)', 'rangeAt(await reserveSpan(this.#pool, 1), SPAN)']],
  },
  {
    name: 'ends-of-items-forgotten',
    file: `${SERVER}/tasks/result-writer.ts`,
    edits: [['const isGivenUp = this.#closed && attempt >= STOPPING_ATTEMPTS;', 'const isGivenUp = attempt >= 1;']],
  },
  {
    name: 'work-of-dead-owners-left',
    file: `${SERVER}/tasks/dispatcher.ts`,
    edits: [['if ((await releaseDeadLeases(this.#ctx.pool, this.owner, this.#tools.inFlight.ids)) > 0) this.wake();', '']],
  },
];

const MODEL = 'tools/simulate/database';

/** Mistakes in the model of the database that the comparison with PostgreSQL must find. */
export const MODEL_MUTANTS: readonly Mutant[] = [
  {
    name: 'model-claims-before-due',
    file: `${MODEL}/queue-statements.ts`,
    edits: [["number(item['not_before']) <= now && !isSuspended(item)", '!isSuspended(item)']],
  },
  {
    name: 'model-lets-dead-owners-hold',
    file: `${MODEL}/queue-statements.ts`,
    edits: [
      ["    leased(store).filter((item) =>\n      item['lease_owner'] === owner\n", '    leased(store).filter((item) =>\n      true\n'],
    ],
  },
  {
    name: 'model-merges-by-the-stored-value',
    file: `${MODEL}/reading-statements.ts`,
    edits: [['fresh[k] ?? old[k] ?? null', 'old[k] ?? fresh[k] ?? null']],
  },
  {
    name: 'model-forgets-the-owner-of-a-lease',
    file: `${MODEL}/queue-statements.ts`,
    edits: [["item['lease_owner'] === owner && number(item['attempts'])", "number(item['attempts'])"]],
  },
  {
    name: 'model-switches-twice',
    file: `${MODEL}/field-statements.ts`,
    edits: [["if (store.get('relay_sent', text(commandId)) !== undefined) return count(0);", '']],
  },
  {
    name: 'model-gives-counters-twice',
    file: `${MODEL}/field-statements.ts`,
    edits: [['first: String(through - number(size))', 'first: String(through - number(size) - 1)']],
  },
];
