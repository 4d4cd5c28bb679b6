import { link, mkdir, open as openFile, readdir, realpath, rename, unlink } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { folder } from '@hes/contract/delivery/kinds/folder.ts';
import { BATCH_ITEMS, fileOf, partPrefixOf, periodMsOf, type DeliveryFile } from '../files/file.ts';
import { DeliveryFailed, implementKind, type Connection } from '../kind.ts';

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? ''); // as: errors of the system have a code

/** Failures of the system, such as a full disk, tell nothing about the messages. */
async function asFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DeliveryFailed) throw error;
    throw new DeliveryFailed('unreachable', error instanceof Error ? error.message : null);
  }
}

/** The folder of a sender, created if needed. A link that leads out of the folder of the installation is refused. */
async function enter(root: string | undefined, name: string): Promise<string> {
  if (root === undefined) throw new DeliveryFailed('no_folder');
  const base = await realpath(root);
  const place = resolve(base, name);
  await mkdir(place, { recursive: true });
  const real = await realpath(place);
  if (real !== base && !real.startsWith(base + sep)) throw new DeliveryFailed('no_folder', name);
  return real;
}

async function syncFolder(place: string): Promise<void> {
  const handle = await openFile(place, 'r');
  await handle.sync().finally(() => handle.close());
}

async function writePart(part: string, content: string): Promise<void> {
  const handle = await openFile(part, 'wx', 0o640);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a complete file its name without replacing another one. File systems without hard links can only rename. */
async function publish(part: string, to: string): Promise<void> {
  try {
    await link(part, to);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(codeOf(error))) throw error;
    return rename(part, to);
  }
  await unlink(part);
}

/** Writes a file so that readers see it whole or not at all, also after a power failure. */
async function write(place: string, prefix: string, { name, content }: DeliveryFile): Promise<void> {
  const part = join(place, `${prefix}${name}`);
  await writePart(part, content);
  await publish(part, join(place, name));
  await syncFolder(place);
}

async function removeParts(place: string, prefix: string): Promise<void> {
  for (const name of await readdir(place)) if (name.startsWith(prefix)) await unlink(join(place, name));
}

export const folderSender = implementKind(folder, {
  batchItems: BATCH_ITEMS,
  periodMs: periodMsOf,
  async open({ settings, ref, folder: root }): Promise<Connection> {
    const prefix = partPrefixOf(ref);
    const place = await asFailure(enter(root, settings.folder));
    await asFailure(removeParts(place, prefix));
    return {
      isOpen: () => true,
      send: (batch) => asFailure(write(place, prefix, fileOf(batch, settings.format))),
      async test() {
        const part = join(place, `${prefix}test`);
        await asFailure(writePart(part, ''));
        await asFailure(unlink(part));
      },
      close: () => undefined,
    };
  },
});
