import { TOPOLOGY_SWITCH_STATE_TEXT, type TopologySwitchState } from '@hes/contract/states/topology.ts';
import type { Sign } from '#kit/state/sign.ts';

export const SWITCH_STATE: Record<TopologySwitchState, Sign> = {
  sent: { shape: 'clock', tone: 'wait', text: TOPOLOGY_SWITCH_STATE_TEXT.sent },
  rebuilding: { shape: 'arc', tone: 'run', text: TOPOLOGY_SWITCH_STATE_TEXT.rebuilding, spin: true },
  settled: { shape: 'tick', tone: 'ok', text: TOPOLOGY_SWITCH_STATE_TEXT.settled, quiet: true },
  failed: { shape: 'cross', tone: 'red', text: TOPOLOGY_SWITCH_STATE_TEXT.failed },
};
