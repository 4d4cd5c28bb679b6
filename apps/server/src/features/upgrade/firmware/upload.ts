import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { MAX_FIRMWARE_OCTETS, type UploadedFile } from '@hes/contract/upgrade/firmware.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User } from '#db/context.ts';
import { fileTypeOf, SNIFFED_OCTETS } from './file-type.ts';
import { closeFile, dropStrayFiles, insertChunk, insertFile } from './queries.ts';

const CHUNK_OCTETS = 256 * 1024;

/** Splits a stream into chunks of one size. Throws as soon as the upload exceeds the maximum size. */
async function* chunksOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let octets = 0;
  let total = 0;
  // A rejected upload must not close the connection: the response is still sent over it.
  const pieces: AsyncIterable<Uint8Array> = stream instanceof Readable ? stream.iterator({ destroyOnReturn: false }) : stream;
  for await (const piece of pieces) {
    held.push(piece);
    octets += piece.length;
    total += piece.length;
    if (total > MAX_FIRMWARE_OCTETS) throw new ApiError('FILE_TOO_LARGE');
    if (octets < CHUNK_OCTETS) continue;
    yield Buffer.concat(held);
    held = [];
    octets = 0;
  }
  if (octets > 0) yield Buffer.concat(held);
}

/** Stores an upload chunk by chunk in one transaction and hashes it on the way; the whole file is never in memory. */
export async function storeUpload(ctx: Context, user: User, name: string, stream: AsyncIterable<Uint8Array>): Promise<UploadedFile> {
  try {
    return await storeChunks(ctx, user, name, stream);
  } finally {
    // The client reads the response only after its whole request was received: discard the rest.
    if (stream instanceof Readable) stream.resume();
  }
}

async function storeChunks(ctx: Context, user: User, name: string, stream: AsyncIterable<Uint8Array>): Promise<UploadedFile> {
  const now = ctx.clock.now();
  const hash = createHash('sha256');
  return ctx.db.transaction().execute(async (tx) => {
    await dropStrayFiles(tx, now);
    const fileId = await insertFile(tx, { name, format: '', userId: user.id, at: new Date(now) });
    let size = 0;
    let count = 0;
    let format = '';
    for await (const chunk of chunksOf(stream)) {
      if (count === 0) {
        const type = fileTypeOf(name, chunk.subarray(0, SNIFFED_OCTETS));
        if ('wrong' in type) throw new ApiError('FIRMWARE_TYPE', { reason: type.wrong }, 'fileId');
        format = type.format;
      }
      hash.update(chunk);
      size += chunk.length;
      await insertChunk(tx, fileId, count++, chunk);
    }
    if (size === 0) throw new ApiError('FIRMWARE_TYPE', { reason: { en: 'it is empty', zh: '文件为空' } }, 'fileId');
    const sha256 = hash.digest('hex');
    await closeFile(tx, fileId, { size, sha256, format });
    return { fileId, name, size, sha256, format };
  });
}
