import { Readable, type PassThrough } from 'node:stream';
import { ZipFile } from 'yazl';

/** Fixed time 1980-01-01, so that the same rows give the same file. */
const OPTIONS = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/** Writes a ZIP file piece by piece, with a few pieces in memory. An error of an input is the error of the output. */
export async function* writeZip(files: { name: string; text: AsyncIterable<string> | Iterable<string> }[]): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough; // as: the types declare it as readable only
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
