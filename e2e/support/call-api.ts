import { expect, type Page } from '@playwright/test';

/** Calls the API as the user of a signed-in page, and returns the answer. Fails unless the call succeeds. */
export async function callApi<T>(page: Page, method: string, path: string, body?: object): Promise<T> {
  const answer = await page.evaluate(
    async ([verb, target, content]) => {
      const token = JSON.parse(localStorage.getItem('HES_TOKEN') ?? '{}') as { access_token?: string }; // as: the console stored it
      const headers = { authorization: `Bearer ${token.access_token ?? ''}`, 'content-type': 'application/json' };
      const response = await fetch(`/api${target}`, { method: verb, headers, ...(content === undefined ? {} : { body: content }) });
      return { isDone: response.ok, text: await response.text() };
    },
    [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
  );
  expect(answer.isDone, `${method} ${path}: ${answer.text}`).toBe(true);
  return (answer.text === '' ? undefined : JSON.parse(answer.text)) as T; // as: what the contract says
}
