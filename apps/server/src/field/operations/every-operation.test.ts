import { COMPUTED_KINDS, taskKind, type TaskKind } from '@hes/contract/task/kind.ts';
import { expect, test } from 'vitest';
import { operationsOf } from './every-operation.ts';
import type { OperationTools } from './operation-tools.ts';

test('every kind of task that concerns devices has an operation, and every operation has a declared kind', () => {
  const computed: readonly TaskKind[] = COMPUTED_KINDS;
  // as: operations use their tools when they run, and not when they are listed.
  const operations = operationsOf({ ctx: {} } as unknown as OperationTools);
  expect(Object.keys(operations).toSorted()).toEqual(taskKind.options.filter((kind) => !computed.includes(kind)).toSorted());
});
