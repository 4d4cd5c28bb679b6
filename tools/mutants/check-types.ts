import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { STEPS } from '../check/steps.ts';
import type { Mutant } from './mutant.ts';
import { makeScratchTree, type ScratchTree } from './scratch-tree.ts';

const runProgram = promisify(execFile);

/** Programs without a mutant need no compilation. */
function projectsOf(mutants: readonly Mutant[]): string[] {
  const projects = STEPS.flatMap(({ command }) => (command[0] === 'tsc' ? (command[2] ?? []) : []));
  return projects.filter((project) => {
    const folder = path.dirname(project);
    return folder !== '.' && !project.endsWith('.test.json') && mutants.some(({ file }) => file.startsWith(`${folder}/`));
  });
}

/** Compiler errors of mutants, many of them per run: a mutant that does not compile is invalid. */
export async function checkTypes(mutants: readonly Mutant[]): Promise<string[]> {
  const tree = makeScratchTree();
  try {
    const wrong: string[] = [];
    let left = [...mutants];
    while (left.length > 0) {
      const { placed, others } = placesOf(tree, left);
      const restore = putIn(tree, placed);
      for (const project of projectsOf(placed.map(({ mutant }) => mutant))) wrong.push(...(await compile(tree, project)));
      restore();
      left = others;
    }
    return wrong;
  } finally {
    tree.remove();
  }
}

interface Placed {
  mutant: Mutant;
  from: number;
  to: number;
}

/** Splits off mutants at distinct locations; those at the same location wait for the next round. */
function placesOf({ folder }: ScratchTree, mutants: readonly Mutant[]): { placed: Placed[]; others: Mutant[] } {
  const placed: Placed[] = [];
  const others: Mutant[] = [];
  for (const mutant of mutants) {
    const from = readFileSync(path.join(folder, mutant.file), 'utf8').indexOf(mutant.find);
    const to = from + mutant.find.length;
    const isTaken = placed.some((one) => one.mutant.file === mutant.file && from < one.to && one.from < to);
    if (isTaken) others.push(mutant);
    else placed.push({ mutant, from, to });
  }
  return { placed, others };
}

/** Applies them from the end of each file to its beginning, which keeps earlier positions valid. */
function putIn({ folder }: ScratchTree, placed: readonly Placed[]): () => void {
  const originals = new Map<string, string>();
  for (const { mutant, from, to } of placed.toSorted((a, b) => b.from - a.from)) {
    const file = path.join(folder, mutant.file);
    const source = readFileSync(file, 'utf8');
    if (!originals.has(file)) originals.set(file, source);
    writeFileSync(file, source.slice(0, from) + mutant.replace + source.slice(to));
  }
  return () => originals.forEach((source, file) => writeFileSync(file, source));
}

async function compile({ folder }: ScratchTree, project: string): Promise<string[]> {
  const program = path.join(folder, 'node_modules/.bin/tsc');
  try {
    await runProgram(program, ['-p', project, '--pretty', 'false'], { cwd: folder });
    return [];
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }; // as: execFile adds both to its errors
    return `${stdout}${stderr}`.split('\n').filter((line) => line.includes('error'));
  }
}
