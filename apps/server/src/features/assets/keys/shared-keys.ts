import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { DeviceKeys } from '@hes/contract/asset/device.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Db } from '#db/context.ts';
import { storedKeysOf, type DeviceKind } from '#platform/device-keys.ts';
import type { Secrets } from '#platform/secrets.ts';
import { listKeyHolders } from './queries.ts';

/** Serial numbers of the devices that have these keys, by key. Decrypts the keys of all devices of the kind: 1 s for 100,000 devices. */
export async function findHoldersOfKeys(
  { secrets, db, kind }: { secrets: Secrets; db: Db; kind: DeviceKind },
  keys: ReadonlySet<string>,
): Promise<Map<string, string[]>> {
  const holders = new Map<string, string[]>();
  if (keys.size === 0) return holders;
  let after = '0';
  for (let page = await listKeyHolders(db, kind, after); page.length > 0; page = await listKeyHolders(db, kind, after)) {
    for (const device of page)
      for (const hex of storedKeysOf(secrets, kind, device)) if (keys.has(hex)) holders.set(hex, [...(holders.get(hex) ?? []), device.sn]);
    after = page.at(-1)?.id ?? after;
    await yieldToOthers();
  }
  return holders;
}

/** Rejects a key of another device of the kind: a key extracted from one device would authenticate both. */
export async function refuseSharedKeys(
  ctx: Pick<Context, 'db' | 'secrets'>,
  kind: DeviceKind,
  sn: string,
  change: Pick<DeviceKeys, 'ek' | 'ak'>,
): Promise<void> {
  const given = (['ek', 'ak'] as const).flatMap((field) => {
    const key = change[field];
    return typeof key === 'string' ? [{ field, key: key.toUpperCase() }] : [];
  });
  const holders = await findHoldersOfKeys({ ...ctx, kind }, new Set(given.map(({ key }) => key)));
  const shared = given.find(({ key }) => holders.get(key)?.some((holder) => holder !== sn) === true);
  if (shared !== undefined) throw new ApiError('KEY_SHARED', {}, shared.field);
}
