import { dcuSn } from '@hes/contract/asset/dcu.ts';
import { meterSn } from '@hes/contract/asset/meter.ts';
import { ERRORS } from '@hes/contract/core/errors.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { isGuessable } from '@hes/contract/asset/guessable-key.ts';
import { keyHex, SPOKEN, spokenSecret } from '@hes/contract/asset/spoken.ts';
import { dcuKeyImport, meterKeyImport } from '@hes/contract/transfer/devices.ts';
import type { ImportRoutes } from '@hes/contract/transfer/import.ts';
import type { z } from 'zod';
import { devicesChanged, type Change } from '#db/changes.ts';
import type { Db, Tx } from '#db/context.ts';
import { writeAudit } from '#db/audit.ts';
import { logManyKeys, namesOfKeys } from '#db/key-log.ts';
import { defineImport, type ImportEnvironment, type Judgement, type LineIssue } from '#transfer/import/define-import.ts';
import { optionalCell, textCell } from '#transfer/import/cells.ts';
import { isStoredKey, KEYS, sealChange, type DeviceKind, type KeyName } from '#platform/device-keys.ts';
import type { Secrets } from '#platform/secrets.ts';
import { lengthRule } from './key-length.ts';
import { findHoldersOfKeys } from './shared-keys.ts';
import { findKeyed, writeKeys, type KeyedDevice } from './queries.ts';

const REASONS = {
  unknown: { en: 'There is no such device in your area', zh: '您的管辖范围内不存在该设备' },
  nothing: { en: 'There is no key on this line', zh: '该行没有密钥' },
  guessable: RULES.guessableKey,
  shared: { en: 'The same key as that of {sn}', zh: '与 {sn} 的密钥相同' },
  twice: { en: 'The same as another key of this device', zh: '与本设备的另一个密钥相同' },
};

const LABELS = {
  ek: { en: 'Encryption key', zh: '加密密钥' },
  ak: { en: 'Authentication key', zh: '认证密钥' },
  masterKey: { en: 'Master key', zh: '主密钥' },
  password: { en: 'Password', zh: '密码' },
};
const columnOf = (name: keyof typeof LABELS) => {
  const secret = name === 'password' ? textCell(32) : keyHex.toUpperCase();
  const isOffered = SPOKEN.secrets[name] === true;
  return { label: LABELS[name], schema: optionalCell(spokenSecret(name, secret)), example: '', secret: true, isOffered };
};
export const secretColumns = {
  ek: columnOf('ek'),
  ak: columnOf('ak'),
  masterKey: columnOf('masterKey'),
  password: columnOf('password'),
};

/** Columns that lists of devices reject: keys have their own import, and ignoring them would look like storing them. */
export const keysElsewhere = {
  columns: secretColumns,
  reason: {
    en: 'The file contains keys. Import keys separately: Import, Keys.',
    zh: '文件中含有密钥。密钥须单独导入：导入 → 密钥。',
  },
};

export type GivenKeys = Record<KeyName | 'password', string | null>;
export interface KeyPlan {
  device: KeyedDevice;
  change: Partial<Record<KeyName | 'password', string>>;
}

/** The secrets that a line gives: an empty cell leaves the stored one. */
export const givenSecrets = (row: Record<string, string | null>): KeyPlan['change'] =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));

export const keysIn = (row: GivenKeys) => KEYS.flatMap((name) => (row[name] === null ? [] : [{ name, value: row[name] }]));

/** Issues of the keys of one line. `holders` maps each key of the previous lines to its device, to find shared keys. */
function keyIssues(sn: string, row: GivenKeys, holders: Map<string, string>): LineIssue[] {
  const issues: LineIssue[] = [];
  const given = keysIn(row);
  if (given.length === 0 && row.password === null) issues.push({ text: REASONS.nothing });
  if ((row.ek === null) !== (row.ak === null) || row.ek?.length !== row.ak?.length) issues.push({ column: 'ak', text: RULES.keyPair });
  for (const { name, value } of given) {
    const holder = holders.get(value);
    if (isGuessable(value)) issues.push({ column: name, text: REASONS.guessable });
    else if (holder === sn) issues.push({ column: name, text: REASONS.twice });
    else if (holder !== undefined) issues.push({ column: name, text: REASONS.shared, params: { sn: holder } });
    else holders.set(value, sn);
  }
  return issues;
}

export const wrongLengths = (row: GivenKeys, { keyDigits }: Pick<KeyedDevice, 'keyDigits'>): LineIssue[] =>
  keysIn(row).flatMap(({ name, value }) => (value.length === keyDigits ? [] : [{ column: name, text: lengthRule(keyDigits) }]));

/** A line with a password always counts as changed: reporting an equal password would allow guessing it by imports. */
const isUnchanged = (secrets: Secrets, kind: DeviceKind, row: GivenKeys, device: KeyedDevice): boolean =>
  row.password === null && keysIn(row).every(({ name, value }) => isStoredKey(secrets, kind, device, name, value));

/** A function that finds the issues of each next line of keys, among the lines before it and the stored keys. */
export async function keyJudge(where: { secrets: Secrets; db: Db; kind: DeviceKind }, rows: readonly (GivenKeys & { sn: string })[]) {
  const holders = new Map<string, string>();
  const stored = await findHoldersOfKeys(where, new Set(rows.flatMap((row) => keysIn(row).map(({ value }) => value))));
  return ({ sn, ...row }: GivenKeys & { sn: string }): LineIssue[] => [
    ...keyIssues(sn, row, holders),
    ...keysIn(row).flatMap(({ name, value }) =>
      stored.get(value)?.some((holder) => holder !== sn) === true ? [{ column: name, text: ERRORS.KEY_SHARED }] : [],
    ),
  ];
}

/** Stores keys of devices within the transaction of an import, with their rows in the key log and in the audit log. */
export async function storeKeys(
  { ctx, who, now }: ImportEnvironment,
  tx: Tx,
  kind: DeviceKind,
  plans: readonly KeyPlan[],
): Promise<Change[]> {
  const sealed = plans.map(({ device: { id, sn: name }, change }) => ({ id, ...sealChange(ctx.secrets, kind, name, change) }));
  await writeKeys(tx, kind, sealed, now);
  const entries = plans.map(({ device: { id }, change }) => ({ kind, id, change, method: 'imported' as const, userId: who.user.id }));
  await logManyKeys(tx, entries, now);
  const keys = [...new Set(plans.flatMap(({ change }) => namesOfKeys(change)))];
  const detail = { imported: plans.map(({ device }) => device.sn), keys };
  const entry = { userId: who.user.id, ip: who.ip, action: `${kind}_keys_changed`, entity: kind, entityId: null, detail } as const;
  await writeAudit(tx, entry, now.getTime());
  return devicesChanged(
    kind,
    sealed.map(({ id }) => id),
  );
}

const isFirst = (change: KeyPlan['change'], device: KeyedDevice): boolean =>
  Object.keys(change).every((name) => device[`${name as KeyName | 'password'}Secret`] === null); // as: the keys of `change`

/** Import of keys of registered devices. Neither the preview nor a result file shows them. */
function keyListOf(
  kind: DeviceKind,
  routes: ImportRoutes,
  title: Text,
  sn: { label: Text; schema: z.ZodType<string, string>; example: string },
) {
  const columns = { sn: { ...sn, required: true }, ...secretColumns };
  return defineImport<typeof columns, KeyPlan>({
    routes,
    title,
    columns,
    unique: ['sn'],

    async judge({ ctx, who: { user } }, db, rows) {
      const known = await findKeyed(
        db,
        user,
        kind,
        rows.map((row) => row.sn),
      );
      const issuesOf = await keyJudge({ secrets: ctx.secrets, db, kind }, rows);
      return rows.map(({ sn: name, ...row }): Judgement<KeyPlan> => {
        const issues = issuesOf({ sn: name, ...row });
        const device = known.get(name);
        if (device === undefined) issues.unshift({ column: 'sn', text: REASONS.unknown });
        else issues.push(...wrongLengths(row, device));
        if (issues.length > 0 || device === undefined) return { verdict: 'error', issues };
        if (isUnchanged(ctx.secrets, kind, row, device)) return { verdict: 'unchanged' };
        const change = givenSecrets(row);
        return { verdict: isFirst(change, device) ? 'new' : 'update', plan: { device, change } };
      });
    },

    write: (environment, tx, plans) => storeKeys(environment, tx, kind, plans),
  });
}

export const dcuKeyList = keyListOf(
  'dcu',
  dcuKeyImport,
  { en: 'Keys of DCUs', zh: '集中器密钥' },
  { label: { en: 'SN', zh: '编号' }, schema: dcuSn, example: 'DCU26000099' },
);
export const meterKeyList = keyListOf(
  'meter',
  meterKeyImport,
  { en: 'Keys of meters', zh: '电表密钥' },
  { label: { en: 'SN', zh: '表号' }, schema: meterSn, example: '260100010099' },
);
