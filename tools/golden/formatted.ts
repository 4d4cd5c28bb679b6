import { spawnSync } from 'node:child_process';

/** The text of a file in the formatting of the project. */
export function formatted(root: string, file: string, text: string): string {
  const { stdout, status, stderr } = spawnSync('oxfmt', [`--stdin-filepath=${file}`], { cwd: root, input: text, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} could not be formatted: ${stderr}`);
  return stdout;
}
