import type { ParameterState } from '@hes/contract/action/dcu-parameter.ts';
import type { Sign } from '#kit/state/sign.ts';
import { texts } from './messages.ts';

export const PARAMETER: Record<ParameterState, Sign> = {
  unknown: { shape: 'dashed', tone: 'none', text: texts.unknown, quiet: true },
  in_sync: { shape: 'tick', tone: 'ok', text: texts.in_sync, quiet: true },
  differs: { shape: 'differ', tone: 'amber', text: texts.differs },
  writing: { shape: 'arc', tone: 'run', text: texts.writing },
  written: { shape: 'clock', tone: 'wait', text: texts.written },
  failed: { shape: 'cross', tone: 'red', text: texts.failed },
};
