import type { Route } from '@hes/contract/core/route.ts';
import { call, type CallOptions } from '#core/api/client.ts';
import { saveFile } from '#core/files/download-csv.ts';

/** Downloads a type as a file that another installation can import. Returns the error message, if any. */
export async function downloadType<R extends Route>(route: R, row: { id: string; code: string }): Promise<string | undefined> {
  const answer = await call(route, { params: { id: row.id } } as CallOptions<R>); // as: the route of a record has its id in the path
  if (!answer.ok) return answer.error.message;
  saveFile(`${row.code.toLowerCase()}.json`, new Blob([JSON.stringify(answer.data, null, 2)], { type: 'application/json' }));
  return undefined;
}

/** Lets the user choose a file and parses it as JSON; undefined when it is invalid. */
export function chooseJson(): Promise<unknown> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = 'application/json,.json';
    input.addEventListener('change', () => {
      const [file] = input.files ?? [];
      if (file) void file.text().then((text) => resolve(parsed(text)));
    });
    input.click();
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
