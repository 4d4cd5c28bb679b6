/**
 * `npm run release -- [--ref v0.1.0] [--arch x64,arm64] [--out FOLDER]`: makes the artefacts of a commit. Equal commits give equal octets. It needs
 * Linux, git, tar, dpkg-deb and mmdebstrap, and no network except the registries of npm and Debian (mmdebstrap).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { inRoot } from '../lib/paths.mjs';
import { architectureOf, type Architecture } from './architecture.ts';
import type { Built } from './built.ts';
import { listComponents, writeNotices } from './components.ts';
import { writeDeb } from './deb.ts';
import { writeChart, writeCompose } from './deployments.ts';
import { writeImage } from './image.ts';
import { sha256Of } from './pack.ts';
import { buildSource, type Source } from './source.ts';
import { stageRelease } from './stage.ts';
import { writeTarball } from './tarball.ts';

const { values } = parseArgs({
  options: {
    ref: { type: 'string', default: 'HEAD' },
    arch: { type: 'string', default: process.arch },
    out: { type: 'string', default: inRoot('dist/release') },
    json: { type: 'boolean', default: false },
  },
});
const say = (line: string) => void process.stderr.write(`release: ${line}\n`);

/** Artefacts that differ by architecture. */
async function buildFor(architecture: Architecture, source: Source, { scratch, out }: Pick<Built, 'scratch' | 'out'>): Promise<string[]> {
  const stage = path.join(scratch, 'stage');
  const built: Built = { source, architecture, stage, scratch, out };
  say(`${architecture.node}: production packages`);
  await stageRelease(source, architecture, stage);
  const sbom = await listComponents(source, architecture);
  const sbomText = `${JSON.stringify(sbom, null, 1)}\n`;
  const sbomFile = path.join(out, `hes-${source.version.semver}-linux-${architecture.node}.cdx.json`);
  for (const file of [sbomFile, path.join(stage, 'sbom.cdx.json')]) writeFileSync(file, sbomText);
  writeFileSync(path.join(stage, 'THIRD-PARTY-NOTICES.txt'), writeNotices(sbom, source));
  say(`${architecture.node}: tarball`);
  const tarball = await writeTarball(built);
  say(`${architecture.node}: Debian package`);
  const deb = await writeDeb(built);
  rmSync(path.join(scratch, 'deb'), { recursive: true, force: true });
  say(`${architecture.node}: image`);
  return [sbomFile, tarball, deb, await writeImage(built)];
}

const architectures = values.arch.split(',').map(architectureOf);
const out = path.resolve(values.out);
const scratch = mkdtempSync(path.join(tmpdir(), 'hes-release-'));
try {
  const source = await buildSource(values.ref, path.join(scratch, 'source'), say);
  if (!source.version.isTagged) say(`no tag of its version at ${values.ref}: this is the build ${source.version.semver}`);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const artefacts = [await writeChart({ source, scratch, out }), await writeCompose({ source, scratch, out })];
  for (const architecture of architectures) {
    const own = path.join(scratch, architecture.node);
    mkdirSync(own);
    artefacts.push(...(await buildFor(architecture, source, { scratch: own, out })));
    rmSync(own, { recursive: true, force: true });
  }
  const sums: string[] = [];
  for (const file of artefacts.toSorted()) sums.push(`${await sha256Of(file)}  ${path.basename(file)}\n`);
  writeFileSync(path.join(out, 'SHA256SUMS'), sums.join(''));
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ version: source.version.semver, artefacts: artefacts.map((file) => path.basename(file)) })}\n`
      : `${sums.join('')}release: ${artefacts.length} artefacts of ${source.version.semver} in ${out}\n`,
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
