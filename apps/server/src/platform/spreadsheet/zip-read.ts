import { crc32 } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { ApiError } from '../api-error.ts';
import { sheetError } from './sheet-error.ts';

const MAX_ENTRIES = 2000;

export interface ZipEntry {
  zip: ZipFile;
  entry: Entry;
}

/** Errors of yauzl and zlib all mean that the file is damaged. */
const asSheetError = (error: unknown): ApiError => (error instanceof ApiError ? error : sheetError('archive'));

/** Reads the directory of a ZIP file, by name without a leading slash, which some writers add. */
export async function readZip(file: Buffer): Promise<Map<string, ZipEntry>> {
  const entries = new Map<string, ZipEntry>();
  try {
    // Names remain octets, because yauzl would refuse absolute paths; nothing is extracted to a folder.
    const zip = await fromBufferPromise(file, { decodeStrings: false });
    if (zip.entryCount > MAX_ENTRIES) throw sheetError('bomb');
    for await (const entry of zip.eachEntry()) entries.set(entry.fileNameRaw.toString('utf8').replace(/^\//, ''), { zip, entry });
  } catch (error) {
    throw asSheetError(error);
  }
  return entries;
}

/** Decompresses the text of an entry, piece by piece. Fails when it exceeds `maxOctets` or differs from its directory. */
export async function* unpack({ zip, entry }: ZipEntry, maxOctets: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let octets = 0;
  let checksum = 0;
  try {
    const pieces: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry);
    for await (const piece of pieces) {
      octets += piece.length;
      if (octets > maxOctets) throw sheetError('bomb');
      checksum = crc32(piece, checksum);
      yield decoder.decode(piece, { stream: true });
    }
  } catch (error) {
    throw asSheetError(error);
  }
  // yauzl checks sizes, but not checksums.
  if (checksum !== entry.crc32) throw sheetError('archive');
  yield decoder.decode();
}
