import { PREFLIGHT_REFUSALS, type PreflightIssue } from '@hes/contract/states/upgrade.ts';
import {
  PREFLIGHT_LINES,
  usualRings,
  type PreflightLine,
  type PreflightReport,
  type RingSize,
  type UpgradeSelection,
} from '@hes/contract/upgrade/job.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Db, User } from '#db/context.ts';
import { interleaveByDcu, ringCounts } from './rings.ts';
import { findTargets, issuesOf, type Target, type Wanted } from './target-queries.ts';

interface Judged {
  line: PreflightLine;
  target: Target | undefined;
}

const refuses = (issue: PreflightIssue): boolean => PREFLIGHT_REFUSALS.includes(issue);

const lineOf = (target: Target, issues: PreflightIssue[]): PreflightLine => ({
  id: target.id,
  sn: target.sn,
  dcuSn: target.dcuSn,
  transformerName: target.transformerName,
  typeName: target.typeName,
  version: target.version,
  isRefused: issues.some(refuses),
  issues,
});

const missing = (sn: string): Judged => ({
  target: undefined,
  line: { id: null, sn, dcuSn: null, transformerName: null, typeName: null, version: null, isRefused: true, issues: ['not_found'] },
});

/** Returns every target with its issues. A named device outside of the user's area counts as missing. */
export async function judgeTargets(db: Db, user: User, wanted: Wanted, selection: UpgradeSelection): Promise<Judged[]> {
  const targets = await findTargets(db, user, wanted, selection);
  const ids = new Set(targets.map((target) => target.id));
  const sns = new Set(targets.map((target) => target.sn));
  const isNarrowed = selection.node !== undefined || selection.typeIds.length + selection.versions.length > 0;
  // Named devices that another condition excludes were excluded on purpose.
  const unknown = isNarrowed
    ? []
    : [...selection.sns.filter((sn) => !sns.has(sn)), ...selection.ids.filter((id) => !ids.has(id)).map((id) => `#${id}`)];
  return [...[...new Set(unknown)].map(missing), ...targets.map((target) => ({ target, line: lineOf(target, issuesOf(target, wanted)) }))];
}

/** Targets that may be upgraded, interleaved by DCU. */
export const readyOf = (judged: readonly Judged[]): Target[] =>
  interleaveByDcu(judged.filter((one) => !one.line.isRefused).flatMap((one) => (one.target === undefined ? [] : [one.target])));

function counted<K>(keys: readonly K[]): Map<K, number> {
  const counts = new Map<K, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

const rank = ({ isRefused, issues }: PreflightLine): number => (isRefused ? 0 : issues.length > 0 ? 1 : 2);

export async function preflight(
  db: Db,
  user: User,
  wanted: Wanted,
  order: { selection: UpgradeSelection; rings?: readonly RingSize[] | undefined },
): Promise<PreflightReport> {
  const judged = await judgeTargets(db, user, wanted, order.selection);
  if (judged.length === 0) throw new ApiError('NO_TARGETS');
  const lines = judged.map((one) => one.line);
  const ready = readyOf(judged);
  return {
    total: lines.length,
    ready: lines.filter((line) => line.issues.length === 0).length,
    warned: lines.filter((line) => !line.isRefused && line.issues.length > 0).length,
    refused: lines.filter((line) => line.isRefused).length,
    byIssue: Object.fromEntries(counted(lines.flatMap((line) => line.issues))),
    byVersion: [...counted(ready.map((target) => target.version))].map(([version, count]) => ({ version, count })),
    dcus: new Set(ready.map((target) => target.dcuId)).size,
    rings: ringCounts(ready.length, order.rings ?? usualRings(ready.length)),
    lines: lines.toSorted((a, b) => rank(a) - rank(b)).slice(0, PREFLIGHT_LINES),
  };
}
