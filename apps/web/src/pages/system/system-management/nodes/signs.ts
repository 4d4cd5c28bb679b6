import { NODE_EVENT_TEXT, NODE_STATE_TEXT, type NodeEventKind, type NodeState } from '@hes/contract/states/node.ts';
import type { Sign } from '#kit/state/sign.ts';

export const NODE: Record<NodeState, Sign> = {
  alive: { shape: 'disc', tone: 'ok', text: NODE_STATE_TEXT.alive, quiet: true },
  draining: { shape: 'arc', tone: 'amber', text: NODE_STATE_TEXT.draining },
  drained: { shape: 'paused', tone: 'amber', text: NODE_STATE_TEXT.drained },
  stopped: { shape: 'stopped', tone: 'none', text: NODE_STATE_TEXT.stopped },
  died: { shape: 'cross', tone: 'red', text: NODE_STATE_TEXT.died },
};

export const NODE_EVENT: Record<NodeEventKind, Sign> = {
  born: { shape: 'plus', tone: 'ok', text: NODE_EVENT_TEXT.born, quiet: true },
  stopped: { shape: 'stopped', tone: 'none', text: NODE_EVENT_TEXT.stopped },
  died: { shape: 'cross', tone: 'red', text: NODE_EVENT_TEXT.died },
  drain_began: { shape: 'arc', tone: 'amber', text: NODE_EVENT_TEXT.drain_began },
  drained: { shape: 'paused', tone: 'amber', text: NODE_EVENT_TEXT.drained },
  resumed: { shape: 'disc', tone: 'ok', text: NODE_EVENT_TEXT.resumed, quiet: true },
};
