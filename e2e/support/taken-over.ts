import { expect, type Page } from '@playwright/test';

const TAKEN_OVER_WITHIN_MS = 90_000;

/** Calls the API with the session of a signed-in page. */
export const askAs = <T>(page: Page, path: string): Promise<T> =>
  page.evaluate(async (address) => {
    const { token_type, access_token } = JSON.parse(localStorage.getItem('HES_TOKEN') ?? '{}') as Record<string, string>; // as: what the console stored
    const answer = await fetch(`/api${address}`, { headers: { authorization: `${token_type} ${access_token}` } });
    return (await answer.json()) as never; // as: what the contract says
  }, path);

/**
 * Waits until the head-end has taken over these meters: the simulator starts shortly after the console, and its archive is
 * imported in parts.
 */
export async function metersTakenOver(page: Page, sns: readonly string[]): Promise<void> {
  const totalOf = async (sn: string) => (await askAs<{ total: number }>(page, `/asset/meter?search=${sn}`)).total;
  for (const sn of sns) await expect.poll(() => totalOf(sn), { timeout: TAKEN_OVER_WITHIN_MS }).toBeGreaterThan(0);
}
