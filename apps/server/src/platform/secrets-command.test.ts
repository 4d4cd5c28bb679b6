import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { withSecrets } from './secrets-command.ts';

const KEY = 'ab'.repeat(32);
const commandOf = (...lines: string[]) => `${process.execPath} -p ${lines.map((line) => JSON.stringify(line)).join('+"\\n"+')}`;

test('settings of the program override those of the environment, which is unchanged', async () => {
  const env = {
    HES_SECRETS_COMMAND: commandOf(`HES_MASTER_KEY=${KEY}`, 'DATABASE_URL=postgres://hes:a=b@/hes'),
    HES_MASTER_KEY: 'ignored',
  };
  const config = readConfig(await withSecrets(env), '/');
  expect(config).toMatchObject({ masterKey: KEY, databaseUrl: 'postgres://hes:a=b@/hes' });
  expect(env.HES_MASTER_KEY).toBe('ignored');
  expect(await withSecrets({ HES_PORT: '1' })).toEqual({ HES_PORT: '1' });
});

test('a failing program, or other output, ends the start with an error without secrets', async () => {
  const failing = `${process.execPath} -e process.stdout.write('HES_MASTER_KEY=${KEY}');process.exit(2)`;
  const message = await withSecrets({ HES_SECRETS_COMMAND: failing }).catch(String);
  expect(message).toMatch(/HES_SECRETS_COMMAND failed: \S+ ended with an error/);
  expect(message).not.toContain(KEY);
  await expect(withSecrets({ HES_SECRETS_COMMAND: '/no/such/program' })).rejects.toThrow('HES_SECRETS_COMMAND failed');
  for (const text of ['hello', ''])
    await expect(withSecrets({ HES_SECRETS_COMMAND: commandOf(text) })).rejects.toThrow('must print lines of the form NAME=value');
});
