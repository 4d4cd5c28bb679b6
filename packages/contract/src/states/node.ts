import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** States of a run of the head-end among others. `drained`: it drains, and holds nothing any more. */
export const nodeState = z.enum(['alive', 'draining', 'drained', 'stopped', 'died']);
export type NodeState = z.infer<typeof nodeState>;

export const NODE_STATE_TEXT: Record<NodeState, Text> = {
  alive: { en: 'Alive', zh: '运行中' },
  draining: { en: 'Draining', zh: '移交中' },
  drained: { en: 'Drained', zh: '已移交' },
  stopped: { en: 'Not running', zh: '未运行' },
  died: { en: 'Dead', zh: '已失效' },
};

/** What a head-end does: serves the console and programs, communicates with devices, works on jobs without devices. By default all. */
export const nodeRole = z.enum(['web', 'field', 'analysis']);
export type NodeRole = z.infer<typeof nodeRole>;
export const NODE_ROLES = nodeRole.options;

export const NODE_ROLE_TEXT: Record<NodeRole, Text> = {
  web: { en: 'Console', zh: '控制台' },
  field: { en: 'Device communication', zh: '设备通信' },
  analysis: { en: 'Analysis', zh: '分析' },
};

/** Roles that none of the running head-ends has, given those of each. */
export const unfilledRoles = (running: readonly (readonly string[])[]): NodeRole[] =>
  NODE_ROLES.filter((role) => !running.some((roles) => roles.includes(role)));

/** What can happen to a run of the head-end. */
export const nodeEventKind = z.enum(['born', 'stopped', 'died', 'drain_began', 'drained', 'resumed']);
export type NodeEventKind = z.infer<typeof nodeEventKind>;

export const NODE_EVENT_TEXT: Record<NodeEventKind, Text> = {
  born: { en: 'Node started', zh: '节点启动' },
  stopped: { en: 'Shut down', zh: '正常停止' },
  died: { en: 'No sign of life: declared dead', zh: '无存活信号，判定失效' },
  drain_began: { en: 'Began to drain', zh: '开始移交' },
  drained: { en: 'Handed over all devices', zh: '全部设备已移交' },
  resumed: { en: 'Takes work again', zh: '恢复接收工作' },
};
