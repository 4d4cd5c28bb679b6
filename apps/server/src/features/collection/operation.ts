import type { FeatureTools } from '#features/feature-tools.ts';
import type { Operations } from '#tasks/operation.ts';
import { collectMeter } from './collect.ts';
import { updateDcuTasks } from './dcu-tasks.ts';
import { refillMeter } from './refill.ts';

export const collectionOperations = (tools: FeatureTools): Pick<Operations, 'collect' | 'refill' | 'dcu_tasks'> => ({
  collect: (item) => collectMeter(tools, item, tools.caches),
  refill: (item) => refillMeter(tools, item, tools.caches),
  dcu_tasks: (item) => updateDcuTasks(tools, item),
});
