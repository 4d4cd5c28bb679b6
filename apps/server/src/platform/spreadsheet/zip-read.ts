import { createInflateRaw } from 'node:zlib';
import { sheetError } from './sheet-error.ts';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
const MAX_COMMENT = 65_557;
const MAX_ENTRIES = 2000;
const STORED = 0;
const DEFLATED = 8;

export interface ZipEntry {
  method: number;
  compressed: number;
  /** Where its local head begins. */
  offset: number;
}

/** The directory of a ZIP file by name. What stands in it is not believed: sizes are counted while unpacking. */
export function readZip(file: Buffer): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  try {
    let end = file.length - 22;
    const last = Math.max(0, file.length - MAX_COMMENT);
    while (end >= last && file.readUInt32LE(end) !== END_OF_DIRECTORY) end--;
    if (end < last) throw sheetError('archive');
    const count = file.readUInt16LE(end + 10);
    if (count > MAX_ENTRIES) throw sheetError('bomb');
    let at = file.readUInt32LE(end + 16);
    for (let index = 0; index < count; index++) {
      if (file.readUInt32LE(at) !== DIRECTORY_ENTRY) throw sheetError('archive');
      const [nameOctets, extra, comment] = [file.readUInt16LE(at + 28), file.readUInt16LE(at + 30), file.readUInt16LE(at + 32)];
      const name = file.toString('utf8', at + 46, at + 46 + nameOctets);
      const entry = { method: file.readUInt16LE(at + 10), compressed: file.readUInt32LE(at + 20), offset: file.readUInt32LE(at + 42) };
      entries.set(name.replace(/^\//, ''), entry);
      at += 46 + nameOctets + extra + comment;
    }
  } catch (error) {
    if (error instanceof RangeError) throw sheetError('archive');
    throw error;
  }
  return entries;
}

/** The text of one entry, piece by piece; fails as soon as it unpacks to more than `maxOctets`. */
export async function* unpack(file: Buffer, entry: ZipEntry, maxOctets: number): AsyncGenerator<string> {
  const at = entry.offset;
  if (at + 30 > file.length || file.readUInt32LE(at) !== LOCAL_ENTRY) throw sheetError('archive');
  const start = at + 30 + file.readUInt16LE(at + 26) + file.readUInt16LE(at + 28);
  const packed = file.subarray(start, start + entry.compressed);
  const decoder = new TextDecoder();
  let octets = 0;
  try {
    if (entry.method !== STORED && entry.method !== DEFLATED) throw sheetError('archive');
    const pieces: AsyncIterable<Buffer> | Buffer[] = entry.method === STORED ? [packed] : createInflateRaw().end(packed);
    for await (const piece of pieces) {
      octets += piece.length;
      if (octets > maxOctets) throw sheetError('bomb');
      yield decoder.decode(piece, { stream: true });
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(Z_|ERR_)/.test(String(error.code))) throw sheetError('archive');
    throw error;
  }
  yield decoder.decode();
}
