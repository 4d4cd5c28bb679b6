import type { ImportVerdict } from '@hes/contract/transfer/import.ts';
import type { Sign } from '#kit/state/sign.ts';
import { messages } from './messages.ts';

export const VERDICT: Record<ImportVerdict, Sign> = {
  new: { shape: 'disc', tone: 'ok', text: messages.newLines, quiet: true },
  update: { shape: 'disc60', tone: 'run', text: messages.updates, quiet: true },
  unchanged: { shape: 'dashed', tone: 'none', text: messages.unchanged, quiet: true },
  error: { shape: 'cross', tone: 'red', text: messages.errors },
};
export const VERDICT_ORDER = ['new', 'update', 'unchanged', 'error'] as const satisfies readonly ImportVerdict[];
