import type { UpgradeState } from '@hes/contract/states/upgrade.ts';
import type { UpgradeLogLine } from '@hes/contract/upgrade/record.ts';
import type { Translate } from '#core/i18n/use-messages.ts';
import type { texts } from './messages.ts';

type Line = Pick<UpgradeLogLine, 'fromStatus' | 'toStatus' | 'text'>;

/** At the begin of these states the engine notes what the state before has found, such as the version of the device or the size of the file. */
const AFTER_RESULTS: ReadonlySet<UpgradeState> = new Set([
  'download_file',
  'enable_translate',
  'translate_init',
  'start_translate',
  'check_image',
  'updating',
]);

function tellsOfBefore({ fromStatus, toStatus, text }: Line): boolean {
  if (text === null || text === 'lost' || text === 'resume') return false;
  return AFTER_RESULTS.has(toStatus) || (fromStatus === 'check_fail_block' && toStatus === 'translating');
}

/** The notes of the state that begins with a transition: on its begin, and on what it has found. */
export function notesAt(lines: readonly Line[], at: number, t: Translate<typeof texts>): string[] {
  const [line, next] = [lines[at], lines[at + 1]];
  const own = line === undefined || tellsOfBefore(line) ? null : noteOf(line, t);
  const found = next !== undefined && tellsOfBefore(next) ? noteOf(next, t) : null;
  return [own, found].filter((note) => note !== null);
}

/** The note on a transition. The engine stores numbers and keywords; this renders them in the user's language. */
export function noteOf({ fromStatus, toStatus, text }: Line, t: Translate<typeof texts>): string | null {
  if (text === null) return null;
  if (toStatus === 'idle') return t(text === 'start' ? 'anew' : 'resumed');
  if (toStatus === 'enable_translate' && text === 'lost') return t('lost');
  if (toStatus === 'start_translate' && text === 'resume') return t('resumed');
  if (toStatus === 'translating' && fromStatus === 'start_translate') return t('fromBlock', { block: Number(text) + 1 });
  if (toStatus === 'translating' || toStatus === 'check_image') return t('missing', { count: Number(text) });
  return text;
}
