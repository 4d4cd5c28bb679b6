import type { Health } from '@hes/contract/status/cause.ts';
import type { Sign } from '#kit/state/sign.ts';
import { texts } from './messages.ts';

export const HEALTH: Record<Health, Sign> = {
  well: { shape: 'tick', tone: 'ok', text: texts.well },
  attention: { shape: 'ring!', tone: 'amber', text: texts.attention },
  bad: { shape: 'cross', tone: 'red', text: texts.bad },
  unknown: { shape: 'dashed', tone: 'none', text: texts.unknown },
};
export const WORTH_KNOWING: Sign = { shape: 'disc', tone: 'run', text: texts.worthKnowing };
