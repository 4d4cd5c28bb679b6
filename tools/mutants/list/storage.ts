import type { Mutant } from '../mutant.ts';

const STORAGE = 'apps/server/src/storage/';
const WRITER_TESTS = [`${STORAGE}writer.test.ts`];
const WRITER = { file: `${STORAGE}writer.ts`, tests: WRITER_TESTS };
const MERGE = { file: `${STORAGE}merge-rows.ts`, tests: WRITER_TESTS };
const MERGE_SQL = { file: `${STORAGE}queries.ts`, tests: WRITER_TESTS };
const DAY_ROWS = { file: `${STORAGE}day-rows.ts`, tests: [`${STORAGE}day-rows.test.ts`] };
const COPY = { file: `${STORAGE}copy-binary.ts`, tests: [`${STORAGE}copy-binary.test.ts`] };
const STAGING = { file: `${STORAGE}staging.ts`, tests: WRITER_TESTS };
const GAPS = { file: `${STORAGE}gaps.ts`, tests: ['apps/server/test/field/refill.test.ts'] };

/** Faults of the storage: acknowledging, merging, splitting into days, writing. */
export const STORAGE_MUTANTS: readonly Mutant[] = [
  {
    id: 'row-of-another-node-fails-the-batch',
    breaks: ['G1'],
    ...WRITER,
    find: 'return code === UNIQUE_VIOLATION || (code',
    replace: 'return (code',
    only: 'another node stored',
  },
  {
    id: 'acknowledged-without-a-commit',
    breaks: ['G1'],
    ...WRITER,
    find: "await client.query('commit');",
    replace: "await client.query('rollback');",
    only: 'captures land in their slots',
  },
  {
    id: 'broken-piece-fails-its-neighbours',
    breaks: ['G1'],
    ...WRITER,
    find: 'if (pieces.length > 1 && !isTransient(error))',
    replace: 'if (pieces.length > 1 && isTransient(error))',
    only: 'a piece that cannot be stored fails alone',
  },
  {
    id: 'later-null-erases-a-value',
    breaks: ['G1'],
    ...MERGE,
    find: 'if (!Number.isNaN(value)) old[k] = value;',
    replace: 'old[k] = value;',
    only: 'same day twice in one batch',
  },
  {
    id: 'slots-of-another-period-by-position',
    breaks: ['G3'],
    ...MERGE,
    find: 'out[first + k * step] =',
    replace: 'out[first + k] =',
    only: 'captures of two periods in one',
  },
  {
    id: 'stored-row-of-another-grid-merged-by-position',
    breaks: ['G3'],
    ...MERGE_SQL,
    find: 'period_s = case when (t.period_s, t.lead_s) = (excluded.period_s, excluded.lead_s) then t.period_s end,',
    replace: 'period_s = excluded.period_s,',
    only: 'is not merged by position',
  },
  {
    id: 'stored-value-erased-by-null',
    breaks: ['G1'],
    ...MERGE_SQL,
    find: '`merge_slots(t.${column}, excluded.${column})`',
    replace: '`excluded.${column}`',
    only: 'late captures fill the gaps',
  },
  {
    id: 'capture-counted-again',
    breaks: ['G2'],
    ...MERGE_SQL,
    find: 'set got = add_counts(c.got, excluded.got)`;\n\nconst dailySame',
    replace: 'set got = add_counts(add_counts(c.got, excluded.got), excluded.got)`;\n\nconst dailySame',
  },
  {
    id: 'freeze-counted-again',
    breaks: ['G2'],
    ...MERGE_SQL,
    find: 'where old.meter_id is null\n    group by',
    replace: 'where true\n    group by',
    only: 'that is corrected is counted once',
  },
  {
    id: 'replaced-value-not-kept',
    breaks: ['G3'],
    ...MERGE_SQL,
    find: "'old.present + s.present > stored.present'",
    replace: "'old.present + s.present < 0'",
    only: 'a stored value that another replaces is kept',
  },
  {
    id: 'grid-that-holds-only-one-of-two-periods',
    breaks: ['G3'],
    file: `${STORAGE}grids.ts`,
    find: 'divisorOf(divisorOf(a.periodSeconds, b.periodSeconds), Math.abs(a.leadSeconds - b.leadSeconds))',
    replace: 'divisorOf(a.periodSeconds, b.periodSeconds)',
    tests: [`${STORAGE}grids.test.ts`],
    only: 'holds the leads of both',
  },
  {
    id: 'value-too-large-for-its-column-stored',
    breaks: ['G3'],
    ...DAY_ROWS,
    find: 'target[slot] = isTooLarge ? Number.NaN : value;',
    replace: 'target[slot] = value;',
  },
  {
    id: 'value-left-out-is-not-marked',
    breaks: ['G3'],
    ...DAY_ROWS,
    find: 'if (isTooLarge) row.status[slot]',
    replace: 'if (isTooLarge && slot < 0) row.status[slot]',
  },
  {
    id: 'capture-between-two-slots-replaces-one',
    breaks: ['G3'],
    ...DAY_ROWS,
    find: 'if (taken && offset % periodMs !== 0)',
    replace: 'if (taken && offset < 0)',
  },
  {
    id: 'capture-counted-in-a-slot-that-is-taken',
    breaks: ['G2'],
    ...DAY_ROWS,
    find: 'if (!taken) row.present++;',
    replace: 'row.present++;',
  },
  {
    id: 'register-full-of-ones-wraps-around',
    breaks: ['G3'],
    ...COPY,
    find: 'value <= Number.MAX_SAFE_INTEGER;',
    replace: 'value <= Number.MAX_VALUE;',
  },
  {
    id: 'number-beyond-four-octets-wraps-around',
    breaks: ['G3'],
    ...COPY,
    find: 'value >= -INT4_MAX - 1 && value <= INT4_MAX;',
    replace: 'value >= -INT4_MAX - 1 && value <= 4 * INT4_MAX;',
  },
  {
    id: 'upper-half-of-a-register-lost',
    breaks: ['G3'],
    ...COPY,
    find: 'view.setInt32(at + 4, high);',
    replace: 'view.setInt32(at + 4, 0);',
  },
  {
    id: 'freeze-with-an-impossible-register',
    breaks: ['G3'],
    ...STAGING,
    find: 'Math.abs(register) >= REGISTER_LIMIT_TENTH_WH',
    replace: 'Math.abs(register) >= REGISTER_LIMIT_TENTH_WH ** 2',
    only: 'filled with ones',
  },
  {
    id: 'second-answer-erases-registers-of-a-freeze',
    breaks: ['G1'],
    ...STAGING,
    find: '(Number.isNaN(register) ? (old.registers[index] ?? register) : register)',
    replace: '(Number.isNaN(old.registers[index]) ? register : register)',
    only: 'none loses registers that only it has',
  },
  {
    id: 'gap-is-filled-by-any-reading-of-its-day',
    breaks: ['G1'],
    ...GAPS,
    find: "state = case when rest.missing = 0 then 'filled' else g.state end, changed_at = now()",
    replace: "state = 'filled', changed_at = now()",
    only: 'of which one capture comes',
  },
  {
    id: 'slot-that-is-there-is-a-gap',
    breaks: ['G2'],
    ...GAPS,
    find: 'and (status is null or status[k + 1] is null)\n',
    replace: 'and (status is null or k >= 0)\n',
    only: 'a hole is found slot by slot',
  },
  {
    id: 'gap-of-a-full-buffer-is-never-lost',
    breaks: [],
    ...GAPS,
    find: 'where to_at < $1::timestamptz - depth)',
    replace: 'where to_at < $1::timestamptz - 100 * depth)',
    only: 'a gap ends when its meter no longer holds it',
  },
];
