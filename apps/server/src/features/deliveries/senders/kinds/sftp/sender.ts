import { createHash } from 'node:crypto';
import { sftp } from '@hes/contract/delivery/kinds/sftp.ts';
import { Client, type SFTPWrapper } from 'ssh2';
import { openGuardedSocket } from '#platform/guarded-socket.ts';
import { within } from '#platform/within.ts';
import { BATCH_ITEMS, fileOf, partPrefixOf, periodMsOf, type DeliveryFile } from '../files/file.ts';
import { commonFailureOf, DeliveryFailed, implementKind, requireReachable, type Connection, type Opening } from '../kind.ts';

const TIMEOUT_MS = 20_000;

type Settings = Parameters<typeof sftp.target>[0];
type Secrets = { password: string; privateKey: string };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Calls of the library with a callback, as promise. */
const done = (call: (callback: (error?: Error | null) => void) => unknown): Promise<void> =>
  new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));
const got = <T>(call: (callback: (error: Error | undefined, value: T) => void) => unknown): Promise<T> =>
  new Promise((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))));

/** Fingerprint as `ssh-keygen -l` prints it. */
const fingerprintOf = (key: Buffer): string => `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

/** A session with one server. A failure ends it; the engine opens another one. */
class Session {
  readonly #client = new Client();
  readonly #ended: Promise<never>;
  #isOpen = false;
  #foreignKey: string | undefined;
  #files: SFTPWrapper | undefined;

  constructor() {
    this.#ended = new Promise((_, reject) => {
      this.#client.on('error', (error) => reject(this.#failureOf(error)));
      this.#client.on('close', () => {
        this.#isOpen = false;
        reject(new DeliveryFailed('unreachable', 'The server closed the connection'));
      });
    });
    // It also ends when no work waits for it.
    this.#ended.catch(() => undefined);
  }

  #failureOf(error: Error & { level?: string }): DeliveryFailed {
    if (this.#foreignKey !== undefined) return new DeliveryFailed('foreign_key', this.#foreignKey);
    return (
      commonFailureOf(error) ?? new DeliveryFailed(error.level === 'client-authentication' ? 'unauthorized' : 'unreachable', error.message)
    );
  }

  /** The result of work with the server; throws when the session ends or the time is over. */
  async #guard<T>(work: Promise<T>): Promise<T> {
    const late = new DeliveryFailed('timeout');
    const result = await within(Promise.race([work, this.#ended]), TIMEOUT_MS, late).catch((error: unknown) => {
      throw error instanceof DeliveryFailed ? error : new DeliveryFailed('unreachable', messageOf(error));
    });
    if (result === late) throw late;
    return result as T; // as: anything but the marker is the result of the work
  }

  async connect({ settings, secrets, networks }: Opening<Settings, Secrets>): Promise<void> {
    const { host, port, username, fingerprint } = settings;
    const ready = new Promise<void>((resolve) => this.#client.once('ready', resolve));
    // The encryption is that of SSH, and the pinned key protects it.
    const sock = openGuardedSocket({ host, port, isEncrypted: false, isProtected: true, ca: '', networks });
    this.#client.connect({
      sock,
      username,
      readyTimeout: TIMEOUT_MS,
      ...(secrets.password === '' ? {} : { password: secrets.password }),
      ...(secrets.privateKey === '' ? {} : { privateKey: `${secrets.privateKey}\n` }),
      hostVerifier: (key: Buffer) => {
        const found = fingerprintOf(key);
        if (found !== fingerprint) this.#foreignKey = found;
        return found === fingerprint;
      },
    });
    await this.#guard(ready);
    this.#files = await this.#guard(got<SFTPWrapper>((callback) => this.#client.sftp(callback)));
    this.#isOpen = true;
  }

  /** One file operation. */
  run<T>(work: (files: SFTPWrapper) => Promise<T>): Promise<T> {
    const files = this.#files;
    if (files === undefined) throw new DeliveryFailed('unreachable', 'The session is not open');
    return this.#guard(work(files));
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  close(): void {
    this.#client.destroy();
  }
}

/** Writes a new file; the extension fsync@openssh.com is used where the server has it. */
async function writePart(session: Session, part: string, content: string): Promise<void> {
  const handle = await session.run((files) => got<Buffer>((callback) => files.open(part, 'wx', callback)));
  const octets = Buffer.from(content);
  if (octets.length > 0) await session.run((files) => done((callback) => files.write(handle, octets, 0, octets.length, 0, callback)));
  await session
    .run((files) => done((callback) => files.ext_openssh_fsync(handle, callback)))
    .catch((error: unknown) => {
      if (!/does not support/i.test(messageOf(error))) throw error;
    });
  await session.run((files) => done((callback) => files.close(handle, callback)));
}

/** Renaming does not replace a file (SFTP 3, 6.5). */
async function write(session: Session, folder: string, prefix: string, { name, content }: DeliveryFile): Promise<void> {
  const part = `${folder}/${prefix}${name}`;
  await writePart(session, part, content);
  await session.run((files) => done((callback) => files.rename(part, `${folder}/${name}`, callback)));
}

async function removeParts(session: Session, folder: string, prefix: string): Promise<void> {
  const found = await session.run((files) => got<{ filename: string }[]>((callback) => files.readdir(folder, callback)));
  for (const { filename } of found)
    if (filename.startsWith(prefix)) await session.run((files) => done((callback) => files.unlink(`${folder}/${filename}`, callback)));
}

async function open(opening: Opening<Settings, Secrets>): Promise<Connection> {
  const { host, folder, format } = opening.settings;
  requireReachable(host, true, opening.networks);
  const prefix = partPrefixOf(opening.ref);
  const session = new Session();
  try {
    await session.connect(opening);
    await removeParts(session, folder, prefix);
  } catch (error) {
    session.close();
    throw error;
  }
  return {
    isOpen: () => session.isOpen,
    send: (batch) => write(session, folder, prefix, fileOf(batch, format)),
    async test() {
      await writePart(session, `${folder}/${prefix}test`, '');
      await removeParts(session, folder, `${prefix}test`);
    },
    close: () => session.close(),
  };
}

export const sftpSender = implementKind(sftp, { batchItems: BATCH_ITEMS, periodMs: periodMsOf, open });
