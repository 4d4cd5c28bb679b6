import { Readable, type PassThrough } from 'node:stream';
import { ZipFile } from 'yazl';

/** 1980-01-01: a file made twice from the same rows is the same file. */
const OPTIONS = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/** A ZIP file piece by piece; memory holds a few pieces. An error of a text is the error of the file. */
export async function* writeZip(files: { name: string; text: AsyncIterable<string> | Iterable<string> }[]): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough; // as: the types know only that it can be read
  const texts: Readable[] = [];
  zip.on('error', (error: Error) => output.destroy(error));
  for (const { name, text } of files) {
    zip.addReadStreamLazy(name, OPTIONS, (pump) => {
      const octets = Readable.from(text, { objectMode: false });
      octets.on('error', (error) => output.destroy(error));
      texts.push(octets);
      pump(null, octets);
    });
  }
  zip.end();
  try {
    for await (const piece of output as AsyncIterable<Buffer> /* no encoding is set */) yield piece;
  } finally {
    for (const text of texts) text.destroy();
  }
}
