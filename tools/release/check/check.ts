import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

/** What all checks work on. */
export interface Checked {
  /** Folder of the artefacts. */
  out: string;
  /** Folder for the files of the checks. */
  scratch: string;
  /** Path of the only artefact of this machine's architecture whose name ends so. */
  artefact(ending: string): string;
}

export interface Check {
  name: string;
  /** Programs that the check needs. Without them it is skipped by name. */
  needs: readonly string[];
  run(checked: Checked): Promise<void>;
}

/** Fails with a sentence. */
export function insist(isTrue: boolean, sentence: string): asserts isTrue {
  if (!isTrue) throw new Error(sentence);
}

export const hasProgram = (program: string): boolean => spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0;

export function checkedFolder(out: string, scratch: string): Checked {
  return {
    out,
    scratch,
    artefact(ending) {
      const found = readdirSync(out).filter((name) => name.endsWith(ending));
      insist(found.length === 1, `${out} holds ${found.length} files that end with ${ending}, and not one`);
      return path.join(out, found[0] ?? '');
    },
  };
}
