import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compress, writeTar } from './pack.ts';
import type { Built } from './built.ts';

type Independent = Pick<Built, 'source' | 'scratch' | 'out'>;

function replaceIn(file: string, replacements: readonly (readonly [RegExp, string])[]): void {
  let text = readFileSync(file, 'utf8');
  for (const [pattern, replacement] of replacements) text = text.replace(pattern, replacement);
  writeFileSync(file, text);
}

async function packFolder({ source, out }: Independent, folder: string, archive: string): Promise<string> {
  const target = path.join(out, archive);
  const paths = [path.basename(folder)];
  await writeTar({ from: path.dirname(folder), paths, target: `${target}.tar`, committedS: source.committedS });
  await compress(`${target}.tar`, target);
  return target;
}

/** Writes the Helm chart with the version of the release, which is also the tag of the image. */
export async function writeChart(built: Independent): Promise<string> {
  const { source, scratch } = built;
  const folder = path.join(scratch, 'chart/hes');
  const { semver } = source.version;
  cpSync(path.join(source.folder, 'deploy/helm/hes'), folder, { recursive: true });
  replaceIn(path.join(folder, 'Chart.yaml'), [
    [/^version: .*$/m, `version: ${semver}`],
    [/^appVersion: .*$/m, `appVersion: ${semver}`],
  ]);
  return packFolder(built, folder, `hes-${semver}.chart.tgz`);
}

/** Writes the folder of `docker compose` or `podman-compose`. */
export async function writeCompose(built: Independent): Promise<string> {
  const { source, scratch } = built;
  const { semver } = source.version;
  const folder = path.join(scratch, `hes-compose-${semver}`);
  cpSync(path.join(source.folder, 'deploy/compose'), folder, { recursive: true });
  replaceIn(path.join(folder, 'compose.yaml'), [[/\$\{HES_VERSION:-latest\}/, `\${HES_VERSION:-${semver}}`]]);
  return packFolder(built, folder, `hes-${semver}.compose.tgz`);
}
