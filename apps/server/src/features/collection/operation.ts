import type { FeatureTools } from '#features/feature-tools.ts';
import type { Operations } from '#tasks/operation.ts';
import { collect } from './collect.ts';
import { bringDcuTasks } from './dcu-tasks.ts';
import { refill } from './refill.ts';

export const collectionOperations = (tools: FeatureTools): Pick<Operations, 'collect' | 'refill' | 'dcu_tasks'> => ({
  collect: (item) => collect(tools, item, tools.caches),
  refill: (item) => refill(tools, item, tools.caches),
  dcu_tasks: (item) => bringDcuTasks(tools, item),
});
