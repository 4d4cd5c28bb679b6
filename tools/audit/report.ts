import type { MeterAudit } from './order.ts';

export interface Summary {
  meters: number;
  compared: number;
  values: number;
  rows: number;
  absent: number;
  different: number;
}

/** Figures over all meters; `compared` are the meters that responded. */
export function summaryOf(audits: readonly MeterAudit[]): Summary {
  const done = audits.flatMap(({ audit }) => audit ?? []);
  const sum = (pick: (audit: (typeof done)[number]) => number) => done.reduce((total, audit) => total + pick(audit), 0);
  return {
    meters: audits.length,
    compared: done.length,
    values: sum(({ values }) => values),
    rows: sum(({ rows }) => rows),
    absent: sum(({ absent }) => absent),
    different: sum(({ different }) => different),
  };
}

/** 0: no difference; 1: at least one; 2: no meter could be compared. */
export const exitCodeOf = ({ different, compared }: Pick<Summary, 'different' | 'compared'>): number =>
  different > 0 ? 1 : compared === 0 ? 2 : 0;

const COLUMNS = ['meter', 'profile', 'time', 'value', 'stored', 'meter says'];

function table(rows: readonly string[][]): string {
  const widths = COLUMNS.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [COLUMNS, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The differences as a table, the meters that were not compared, and a summary sentence. */
export function reportOf(audits: readonly MeterAudit[], summary: Summary): string {
  const rows = audits.flatMap(({ sn, audit }) =>
    (audit?.differences ?? []).map(({ profile, ts, column, stored, meter }) => [
      sn,
      profile,
      ts,
      column,
      String(stored),
      String(meter ?? '—'),
    ]),
  );
  const shown = rows.length < summary.different ? `, of which ${rows.length} are shown` : '';
  const failed = audits
    .filter(({ audit }) => audit === null)
    .map(({ sn, reason }) => `${sn} was not compared: ${reason ?? 'not done yet'}`);
  const { values, compared, meters, different, absent } = summary;
  const sentence = `${values} values in ${summary.rows} rows of ${compared} of ${meters} meters compared: ${different} differ${shown}; ${absent} stored rows are no longer in the meter.`;
  return [...(rows.length > 0 ? [table(rows), ''] : []), ...failed, sentence].join('\n');
}
