import type { ModuleGraph } from './module-graph.ts';

/** Groups of files that need each other at run time (strongly connected components, after Tarjan). */
export function findCycles(graph: ModuleGraph): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const cycles: string[][] = [];

  function visit(file: string): number {
    order.set(file, order.size);
    let lowest = order.size - 1;
    stack.push(file);
    onStack.add(file);
    for (const next of runtimeTargets(graph, file)) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next));
      else if (onStack.has(next)) lowest = Math.min(lowest, order.get(next) ?? lowest);
    }
    low.set(file, lowest);
    if (lowest === order.get(file)) collect(file);
    return lowest;
  }

  function collect(first: string): void {
    const group = stack.splice(stack.indexOf(first));
    for (const file of group) onStack.delete(file);
    if (group.length > 1 || runtimeTargets(graph, first).includes(first)) cycles.push(group.toSorted());
  }

  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

const runtimeTargets = (graph: ModuleGraph, file: string): string[] =>
  (graph.get(file)?.imports ?? []).flatMap(({ target, isTypeOnly }) =>
    target !== undefined && !isTypeOnly && graph.has(target) ? [target] : [],
  );
