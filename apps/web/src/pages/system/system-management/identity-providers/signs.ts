import type { ProviderState } from '@hes/contract/states/identity-provider.ts';
import type { Sign } from '#kit/state/sign.ts';
import { texts } from './messages.ts';

export const PROVIDER: Record<ProviderState, Sign> = {
  running: { shape: 'disc', tone: 'ok', text: texts.running, quiet: true },
  off: { shape: 'paused', tone: 'amber', text: texts.off },
};
