import { checkDependencies } from './dependencies.ts';
import { findCycles } from './find-cycles.ts';
import { readModules, type ModuleGraph } from './module-graph.ts';
import { RULES, type Rule } from './rules.ts';
import { checkSource } from './source-rules.ts';
import { checkTableOwners } from './table-writes.ts';
import type { Violation } from './violation.ts';

/** Lower limit that detects a checker on a wrong folder, which would find no violations. */
const FEWEST_MODULES = 60;

/** Violations of the import rules and of the file rules that no linter provides. */
export function checkBoundaries(root: string, fewestModules: number = FEWEST_MODULES): { modules: number; violations: Violation[] } {
  const graph = readModules(root);
  if (graph.size < fewestModules) throw new Error(`only ${graph.size} modules were found in ${root}: the check would miss violations`);
  return {
    modules: graph.size,
    violations: [
      ...unresolved(graph),
      ...RULES.flatMap((rule) => broken(graph, rule)),
      ...cycles(graph),
      ...checkDependencies(root, graph),
      ...checkTableOwners(graph),
      ...[...graph.values()].filter(({ file }) => !file.endsWith('.css')).flatMap(checkSource),
    ],
  };
}

function unresolved(graph: ModuleGraph): Violation[] {
  return [...graph.values()].flatMap(({ file, imports }) =>
    imports
      .filter(({ target }) => target === undefined)
      .map(({ specifier }) => ({ rule: 'resolved', file, detail: `imports ${specifier}`, why: 'The file does not exist.' })),
  );
}

function broken(graph: ModuleGraph, { name, why, from, fromExcept, to, except }: Rule): Violation[] {
  return [...graph.values()].flatMap(({ file, imports }) => {
    const match = from.exec(file);
    if (!match || fromExcept?.test(file)) return [];
    const fill = (pattern: string) => new RegExp(pattern.replaceAll('$1', escape(match[1] ?? '')));
    const forbidden = fill(to);
    const allowed = except === undefined ? undefined : fill(except);
    return imports
      .filter(({ target }) => target !== undefined && forbidden.test(target) && !allowed?.test(target))
      .map(({ target }) => ({ rule: name, file, detail: `imports ${target}`, why }));
  });
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const cycles = (graph: ModuleGraph): Violation[] =>
  findCycles(graph).map((group) => ({
    rule: 'no-cycles',
    file: group[0] ?? '',
    detail: `needs, and is needed by, ${group.slice(1).join(', ') || 'itself'}`,
    why: 'Merge files that need each other, or extract the shared part.',
  }));
