import { isFreeze, type CountedProfile } from '@hes/contract/reading/reading.ts';
import type { ProfileColumns } from '@hes/dlms/cosem/profile-buffer.ts';
import { DEFAULT_PERIOD_S } from '#storage/channels.ts';
import type { MeterDevice } from '../devices.ts';
import type { Layout, ProfileAnswer } from './profile-layout.ts';

const DAY_MS = 86_400_000;
/** Typical sizes in octets. */
const ROW_OCTETS = 16;
const COLUMN_OCTETS = 9;

export const rowOctetsOf = ({ columns }: Pick<Layout, 'columns'>): number => ROW_OCTETS + columns.length * COLUMN_OCTETS;

/** Estimated octets of a row, and the milliseconds between two rows. */
export function rowSizeOf(
  { periodSeconds }: Pick<MeterDevice, 'periodSeconds'>,
  layout: Layout,
  profile: CountedProfile,
): { rowOctets: number; rowMs: number } {
  const rowOctets = rowOctetsOf(layout);
  if (isFreeze(profile)) return { rowOctets, rowMs: DAY_MS };
  const ofType = profile === 'energy' ? DEFAULT_PERIOD_S.energy : periodSeconds[profile];
  return { rowOctets, rowMs: (layout.periodSeconds || ofType) * 1000 };
}

/** One answer with the rows of several, in their order. All have the same columns. */
export function joinAnswers(answers: readonly [ProfileAnswer, ...ProfileAnswer[]]): ProfileAnswer {
  const [first, ...others] = answers;
  if (others.length === 0) return first;
  const parts = answers.map(({ data }) => data);
  const joined: ProfileColumns = {
    rows: parts.reduce((rows, part) => rows + part.rows, 0),
    clock: joinNumbers(parts.map(({ clock }) => clock)),
    clockStatus: Uint8Array.from(parts.flatMap(({ clockStatus }) => [...clockStatus])),
    values: first.data.values.map((_, column) => joinNumbers(parts.map(({ values }) => values[column] ?? new Float64Array(0)))),
    inferred: parts.some(({ inferred }) => inferred),
  };
  return { ...first, data: joined };
}

function joinNumbers(parts: readonly Float64Array[]): Float64Array {
  const joined = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
