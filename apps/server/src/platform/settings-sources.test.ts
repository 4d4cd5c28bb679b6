import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { gatherSettings } from './settings-sources.ts';

const folder = mkdtempSync(join(tmpdir(), 'hes-settings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return name;
};
const gather = (env: Record<string, string>) => gatherSettings(env, folder);

test('a setting comes from the environment, else from the file of HES_CONFIG, and an empty variable counts as absent', () => {
  const file = write('hes.conf', '# the console\nHES_PORT=8090\nHES_HOST="0.0.0.0"\n\nHES_DEMO=off\n');
  const { port, host, demo } = readConfig(gather({ HES_CONFIG: file, HES_PORT: '8091', HES_DEMO: '' }), folder);
  expect({ port, host, demo }).toEqual({ port: 8091, host: '0.0.0.0', demo: 'off' });
});

test('a setting may stand in a file of its own, whose last line break does not count', () => {
  const secret = write('password', ' First-Light-26 \n');
  expect(readConfig(gather({ HES_ADMIN_PASSWORD_FILE: secret }), folder).adminPassword).toBe(' First-Light-26 ');
  const config = write('with-secret.conf', `DATABASE_URL_FILE=${write('url', 'postgres:///hes\n')}\n`);
  expect(readConfig(gather({ HES_CONFIG: config }), folder).databaseUrl).toBe('postgres:///hes');
  expect(() => gather({ HES_ADMIN_PASSWORD_FILE: secret, HES_ADMIN_PASSWORD: 'x' })).toThrow(
    'HES_ADMIN_PASSWORD and HES_ADMIN_PASSWORD_FILE are both set. Keep one of them.',
  );
  expect(() => gather({ HES_ADMIN_PASSWORD_FILE: 'absent' })).toThrow('HES_ADMIN_PASSWORD_FILE is "absent", which cannot be read.');
  expect(() => gather({ HES_CONFIG: 'absent' })).toThrow('HES_CONFIG is "absent", which cannot be read.');
});

test('an unknown name is refused with the nearest one and the place where it stands', () => {
  expect(() => gather({ HES_DLSM_PORT: '1' })).toThrow('HES_DLSM_PORT in the environment is no setting. Did you mean HES_DLMS_PORT?');
  expect(() => gather({ HES_CONFIG: write('bad.conf', 'HES_PROT=1\n') })).toThrow(
    'HES_PROT in bad.conf is no setting. Did you mean HES_PORT?',
  );
  expect(() => gather({ HES_CONFIG_FILE: 'x' })).toThrow('HES_CONFIG_FILE in the environment is no setting. Did you mean HES_CONFIG?');
  expect(() => gather({ HES_CONFIG: write('other.conf', 'PATH=/bin\n') })).toThrow('PATH in other.conf is no setting.');
});

test('variables of other programs, of our tools and of Kubernetes are no settings of ours', () => {
  const env = { PATH: '/bin', HES_TEST_LONG: '1', HES_SERVICE_PORT_HTTP: '80', HES_PORT_8080_TCP_ADDR: '10.0.0.1', HES_WRONG: '' };
  expect(gather(env)).toEqual(env);
});

test('settings that contradict each other or have no effect are refused', () => {
  const read = (env: Record<string, string>) => readConfig(gather(env), folder);
  expect(() => read({ HES_METRICS_HOST: '0.0.0.0' })).toThrow('HES_METRICS_HOST is set, but has no effect without HES_METRICS_PORT.');
  expect(() => read({ HES_DATABASE_OWNER_URL: 'postgres:///hes' })).toThrow('no effect without DATABASE_URL');
  expect(() => read({ HES_DLMS_PORT: '8080' })).toThrow('HES_PORT and HES_DLMS_PORT are both 8080.');
  expect(() => read({ HES_MASTER_KEY: 'a'.repeat(64), HES_MASTER_KEY_PREVIOUS: 'A'.repeat(64) })).toThrow('are equal');
  expect(() => read({ HES_SHORTEST_RESPONSE_MS: '9000', HES_LONGEST_RESPONSE_MS: '5000' })).toThrow('longer than HES_LONGEST_RESPONSE_MS');
  expect(() => read({ HES_LIFELINE_FD: 'three' })).toThrow('HES_LIFELINE_FD is "three"');
});
