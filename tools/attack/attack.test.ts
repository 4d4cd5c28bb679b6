import { expect, test } from 'vitest';
import { Attacked } from './attacked.ts';
import { Trial, type Attack } from './check.ts';
import { EVERY_CHECK } from './every-check.ts';
import { runChecks, summaryOf, tableOf } from './run-checks.ts';

test('every finding F1 to F26 and every check D1 to D30 is declared once', () => {
  const ids = EVERY_CHECK.flatMap((check) => check.ids);
  const expected = [...Array.from({ length: 26 }, (_, n) => `F${n + 1}`), ...Array.from({ length: 30 }, (_, n) => `D${n + 1}`)];
  expect(ids.toSorted()).toEqual(expected.toSorted());
});

test('an attack without a control, with a failed control, or with a step that succeeds counts as not held', () => {
  const judged = (fill: (trial: Trial) => void) => {
    const trial = new Trial();
    fill(trial);
    return trial.finding();
  };
  expect(judged((trial) => trial.refuses('a wrong password', true))).toEqual({ held: false, evidence: 'no control was made' });
  expect(judged((trial) => trial.control('a right password', true))).toEqual({ held: false, evidence: 'nothing was attacked' });
  const broken = judged((trial) => {
    trial.control('a right password', false);
    trial.refuses('a wrong password', true);
  });
  expect(broken).toEqual({ held: false, evidence: 'control does not work: a right password' });
  const succeeds = judged((trial) => {
    trial.control('a right password', true);
    trial.refuses('a wrong password', false);
  });
  expect(succeeds).toEqual({ held: false, evidence: 'attack succeeds: a wrong password' });
});

test('an aborted attack counts as failed, in the summary and in the table', async () => {
  const broken: Attack = { ids: ['F4', 'D9'], title: 'a call', attempt: () => Promise.reject(new Error('connection refused')) };
  const results = await runChecks([broken, { ids: ['D23'], title: 'packages', notChecked: 'needs a registry' }], new Attacked());
  expect(summaryOf(results)).toEqual({ checks: 2, held: 0, failed: ['F4', 'D9'], notChecked: ['D23'] });
  expect(tableOf(results)).toContain('could not be carried out: connection refused');
});

// The weakening: a proxy is trusted at the addresses of the attack on forwarded addresses, and at no other.
test('the short form holds, and detects the one weakening of a setting', async () => {
  const target = new Attacked({ env: { HES_TRUSTED_PROXY: '127.9.0.0/16' } });
  try {
    await target.start();
    const results = await runChecks(
      EVERY_CHECK.filter((check) => 'isShort' in check),
      target,
    );
    expect(summaryOf(results).failed, tableOf(results)).toEqual(['F17']);
    expect(summaryOf(results).held).toBeGreaterThanOrEqual(20);
  } finally {
    await target.stop();
  }
}, 300_000);
