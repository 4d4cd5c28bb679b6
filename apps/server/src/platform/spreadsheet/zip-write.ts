import { once } from 'node:events';
import { crc32, createDeflateRaw } from 'node:zlib';

interface Written {
  name: Buffer;
  crc: number;
  packed: number;
  plain: number;
  offset: number;
}

/** Sizes follow the content (bit 3), names are UTF-8 (bit 11). */
const FLAGS = 0x0808;
const DEFLATED = 8;
/** 1980-01-01: a file made twice from the same rows is the same file. */
const DATE = 0x21;

function localHead(name: Buffer): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(FLAGS, 6);
  head.writeUInt16LE(DEFLATED, 8);
  head.writeUInt16LE(DATE, 12);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, name]);
}

function sizes({ crc, packed, plain }: Written): Buffer {
  const tail = Buffer.alloc(16);
  tail.writeUInt32LE(0x08074b50, 0);
  tail.writeUInt32LE(crc, 4);
  tail.writeUInt32LE(packed, 8);
  tail.writeUInt32LE(plain, 12);
  return tail;
}

function directoryEntry({ name, crc, packed, plain, offset }: Written): Buffer {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(20, 4);
  entry.writeUInt16LE(20, 6);
  entry.writeUInt16LE(FLAGS, 8);
  entry.writeUInt16LE(DEFLATED, 10);
  entry.writeUInt16LE(DATE, 14);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(packed, 20);
  entry.writeUInt32LE(plain, 24);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt32LE(offset, 42);
  return Buffer.concat([entry, name]);
}

function endOf(count: number, octets: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(octets, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

/** A ZIP file piece by piece; memory holds one piece. Up to 4 GB. */
export async function* writeZip(files: { name: string; text: AsyncIterable<string> | Iterable<string> }[]): AsyncGenerator<Buffer> {
  const written: Written[] = [];
  let at = 0;
  for (const { name, text } of files) {
    const entry: Written = { name: Buffer.from(name), crc: 0, packed: 0, plain: 0, offset: at };
    const head = localHead(entry.name);
    yield head;
    at += head.length;
    const deflate = createDeflateRaw();
    const feeding = (async () => {
      for await (const part of text) {
        const bytes = Buffer.from(part);
        entry.crc = crc32(bytes, entry.crc);
        entry.plain += bytes.length;
        if (!deflate.write(bytes)) await once(deflate, 'drain');
      }
      deflate.end();
    })().catch((error: unknown) => void deflate.destroy(error instanceof Error ? error : new Error(String(error))));
    for await (const piece of deflate as AsyncIterable<Buffer> /* no encoding is set */) {
      entry.packed += piece.length;
      yield piece;
    }
    await feeding;
    yield sizes(entry);
    at += entry.packed + 16;
    written.push(entry);
  }
  const directory = Buffer.concat(written.map(directoryEntry));
  yield directory;
  yield endOf(written.length, directory.length, at);
}
