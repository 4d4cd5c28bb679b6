import { copyFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Built } from './built.ts';
import { compress, sha256Of, writeTar } from './pack.ts';
import { runProgram } from './program.ts';

/** Debian release and packages below Node; the image has no shell and no package manager. */
const BASE = { suite: 'bookworm', packages: ['libc6', 'libstdc++6', 'libatomic1'] };
/** User and group of the head-end in the image, as numbers, so that Kubernetes can verify that it is not root. */
export const IMAGE_USER = 10_001;
const ROOT_IN_IMAGE = 'usr/lib/hes';

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

interface Layer extends Descriptor {
  /** Digest of the uncompressed layer. */
  diffId: string;
}

/** A folder in the form of the OCI image layout. */
interface Layout {
  blobs: string;
  scratch: string;
  committedS: number;
}

const blobOf = ({ blobs }: Layout, hex: string): string => path.join(blobs, hex);

async function addFile(layout: Layout, file: string, mediaType: string): Promise<Descriptor> {
  const hex = await sha256Of(file);
  const { size } = statSync(file);
  renameSync(file, blobOf(layout, hex));
  return { mediaType, digest: `sha256:${hex}`, size };
}

async function addJson(layout: Layout, content: unknown, mediaType: string): Promise<Descriptor> {
  const file = path.join(layout.scratch, 'document.json');
  writeFileSync(file, JSON.stringify(content));
  return addFile(layout, file, mediaType);
}

async function addLayer(layout: Layout, from: string, owner: number): Promise<Layer> {
  const tar = path.join(layout.scratch, 'layer.tar');
  await writeTar({ from, paths: ['.'], target: tar, committedS: layout.committedS, owner });
  const diffId = `sha256:${await sha256Of(tar)}`;
  await compress(tar, `${tar}.gz`);
  return { ...(await addFile(layout, `${tar}.gz`, 'application/vnd.oci.image.layer.v1.tar+gzip')), diffId };
}

/** The libraries that Node is linked with, their licences, and a password file. */
async function makeBase({ architecture, source, scratch }: Built): Promise<string> {
  const all = path.join(scratch, 'debian');
  const options = ['--quiet', '--variant=extract', `--architectures=${architecture.debian}`, `--include=${BASE.packages.join(',')}`];
  await runProgram('mmdebstrap', [...options, BASE.suite, all], { env: source.env });
  const base = path.join(scratch, 'base');
  for (const folder of ['lib', 'lib64', 'usr/lib', 'usr/lib64', 'usr/share/doc'])
    if (existsSync(path.join(all, folder)))
      cpSync(path.join(all, folder), path.join(base, folder), { recursive: true, verbatimSymlinks: true });
  rmSync(all, { recursive: true, force: true });
  mkdirSync(path.join(base, 'etc'), { recursive: true });
  writeFileSync(
    path.join(base, 'etc/passwd'),
    `root:x:0:0:root:/:/sbin/nologin\nhes:x:${IMAGE_USER}:${IMAGE_USER}:hes:/data:/sbin/nologin\n`,
  );
  writeFileSync(path.join(base, 'etc/group'), `root:x:0:\nhes:x:${IMAGE_USER}:\n`);
  return base;
}

function configOf({ architecture, source }: Built, layers: readonly Layer[]): unknown {
  const root = `/${ROOT_IN_IMAGE}`;
  return {
    created: new Date(source.committedS * 1000).toISOString(),
    architecture: architecture.oci,
    os: 'linux',
    config: {
      User: `${IMAGE_USER}:${IMAGE_USER}`,
      ExposedPorts: { '8080/tcp': {}, '4059/tcp': {} },
      Env: [
        `PATH=${root}/bin`,
        'HES_DATA_DIR=/data',
        'HES_DEMO=off',
        'HES_HOST=0.0.0.0',
        'MALLOC_ARENA_MAX=2',
        'NODE_COMPILE_CACHE=/tmp/compiled',
      ],
      Entrypoint: [`${root}/bin/node`, '--max-semi-space-size=32', '--expose-gc'],
      Cmd: [`${root}/apps/server/src/main.ts`],
      Volumes: { '/data': {} },
      WorkingDir: '/data',
      StopSignal: 'SIGTERM',
      Labels: {
        'org.opencontainers.image.title': 'HES',
        'org.opencontainers.image.version': source.version.semver,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  };
}

/**
 * Writes the image as a tar archive in the OCI image layout, which podman, skopeo, containerd and Docker load. It needs neither a daemon nor
 * rights; the base are three packages of Debian.
 */
export async function writeImage(built: Built): Promise<string> {
  const { architecture, source, scratch, out, stage } = built;
  const folder = path.join(scratch, 'oci');
  const layout: Layout = { blobs: path.join(folder, 'blobs/sha256'), scratch, committedS: source.committedS };
  mkdirSync(layout.blobs, { recursive: true });
  const program = path.join(scratch, 'program');
  mkdirSync(path.join(program, path.dirname(ROOT_IN_IMAGE)), { recursive: true });
  cpSync(stage, path.join(program, ROOT_IN_IMAGE), { recursive: true, verbatimSymlinks: true });
  const state = path.join(scratch, 'state');
  for (const name of ['data', 'tmp']) mkdirSync(path.join(state, name), { recursive: true });
  const layers = [
    await addLayer(layout, await makeBase(built), 0),
    await addLayer(layout, program, 0),
    await addLayer(layout, state, IMAGE_USER),
  ];
  const config = await addJson(layout, configOf(built, layers), 'application/vnd.oci.image.config.v1+json');
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const described = layers.map(({ mediaType: type, digest, size }) => ({ mediaType: type, digest, size }));
  const manifest = await addJson(layout, { schemaVersion: 2, mediaType, config, layers: described }, mediaType);
  const annotations = { 'org.opencontainers.image.ref.name': `hes:${source.version.semver}` };
  const platform = { architecture: architecture.oci, os: 'linux' };
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [{ ...manifest, platform, annotations }],
  };
  writeFileSync(path.join(folder, 'index.json'), JSON.stringify(index));
  writeFileSync(path.join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  const target = path.join(out, `hes-${source.version.semver}-linux-${architecture.node}.oci.tar`);
  const draft = path.join(scratch, 'image.tar');
  await writeTar({ from: folder, paths: ['oci-layout', 'index.json', 'blobs'], target: draft, committedS: source.committedS });
  copyFileSync(draft, target);
  for (const used of [draft, folder, program, state]) rmSync(used, { recursive: true, force: true });
  return target;
}
