import type { FileAnswer } from '@hes/contract/core/file.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { saveFile } from './download-csv.ts';
import { call, type CallOptions } from '#core/api/client.ts';
import { RequestFailed } from '#core/api/errors.ts';

/** Calls a route that answers with a file and saves the file. Throws `RequestFailed` on failure. */
export async function download<R extends Route>(route: R, options: CallOptions<R> = {}): Promise<void> {
  const answer = await call(route, options);
  if (!answer.ok) throw new RequestFailed(answer.error);
  const { name, content } = answer.data as FileAnswer; // routes with `answer: 'file'`
  saveFile(name, content as Blob); // as the client made it
}
