import type { Page } from '@playwright/test';
import type { Difference } from '../../tools/truth/compare.ts';

/** A heat map of meters by days: serial number, the text of each day's cell, and the figures next to the days. */
interface HeatRow {
  sn: string;
  days: string[];
  ends: string[];
}

const HEADS = { sn: 'Meter SN', byDay: 'Got, day by day', rate: 'Completeness (%)', why: 'Reason' };
/** `2026-11-24: 95 of 96 · why`: number of values of that day. */
const GOT = /^\d{4}-\d{2}(?:-\d{2})?\D+?([\d,]+)/;

const rowsOf = (page: Page): Promise<HeatRow[]> =>
  page
    .locator('main table:has(th[title])')
    .filter({ visible: true })
    .first()
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => ({
        sn: row.querySelector('th')?.innerText.replaceAll(/\s/g, '') ?? '',
        days: [...row.querySelectorAll<HTMLElement>('td[title]')].map((cell) => cell.title),
        ends: [...row.querySelectorAll<HTMLElement>('td[data-end]')].map((cell) => cell.innerText.trim()),
      })),
    );

/** Compares the completeness of meters, shown as coloured cells with texts, with its file. Undefined for other files. */
export async function heatDifferences(
  page: Page,
  [head = [], ...lines]: string[][],
): Promise<{ rows: number; differences: Difference[] } | undefined> {
  if (!head.includes(HEADS.byDay)) return undefined;
  const at = (name: string) => head.indexOf(name);
  const rows = await rowsOf(page);
  const differences: Difference[] = [];
  const compare = (where: string, screen: string, file: string | undefined) => {
    if (screen !== file) differences.push({ kind: 'value', where, screen, file: file ?? 'none' });
  };
  rows.forEach(({ sn, days, ends: [rate = '', why = ''] }, place) => {
    const line = lines[place] ?? [];
    compare(`row ${place + 1}, sn`, sn, line[at(HEADS.sn)]);
    compare(`row ${place + 1}, days`, days.map((day) => GOT.exec(day)?.[1]?.replaceAll(',', '') ?? day).join(' '), line[at(HEADS.byDay)]);
    compare(`row ${place + 1}, why`, why, line[at(HEADS.why)]);
    compare(`row ${place + 1}, rate`, rate === '—' ? '' : String(Number(rate.replace(' %', ''))), line[at(HEADS.rate)]);
  });
  return { rows: rows.length, differences };
}
