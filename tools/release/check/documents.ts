import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Sbom } from '../components.ts';
import { runProgram } from '../program.ts';
import { insist, type Check } from './check.ts';
import { unpackChecked } from './installed.ts';

/** Packages below a folder of npm, as `name@version`. */
function packagesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return folders.flatMap(({ name }) => {
    const inner = path.join(folder, name);
    if (name.startsWith('@')) return packagesBelow(inner);
    if (!existsSync(path.join(inner, 'package.json'))) return [];
    const { name: called, version } = JSON.parse(readFileSync(path.join(inner, 'package.json'), 'utf8')) as Record<string, string>; // as: a package file
    return [`${called}@${version}`, ...packagesBelow(path.join(inner, 'node_modules'))];
  });
}

const sums: Check = {
  name: 'checksums',
  needs: ['sha256sum'],
  async run({ out }) {
    await runProgram('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out });
    const listed = readFileSync(path.join(out, 'SHA256SUMS'), 'utf8').split('\n').length - 1;
    insist(listed === readdirSync(out).length - 1, 'SHA256SUMS does not list every artefact');
  },
};

const sbom: Check = {
  name: 'bill of materials',
  needs: [],
  async run(checked) {
    const tree = await unpackChecked(checked);
    const found = JSON.parse(readFileSync(path.join(tree, 'sbom.cdx.json'), 'utf8')) as Sbom & { bomFormat: string }; // as: CycloneDX
    insist(found.bomFormat === 'CycloneDX', 'The bill of materials is no CycloneDX document');
    const listed = new Set(found.components.map(({ name, version }) => `${name}@${version}`));
    const missing = packagesBelow(path.join(tree, 'node_modules')).filter((name) => !name.startsWith('@hes/') && !listed.has(name));
    insist(missing.length === 0, `The bill of materials lacks ${missing.join(', ')}`);
    const notices = readFileSync(path.join(tree, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    const unnamed = found.components.filter(({ name, version }) => !name.startsWith('@hes/') && !notices.includes(`${name} ${version} (`));
    insist(unnamed.length === 0, `The notices lack ${unnamed.map(({ name }) => name).join(', ')}`);
    insist(!notices.includes('(not declared)'), 'A component declares no licence');
  },
};

export const documentChecks: readonly Check[] = [sums, sbom];
