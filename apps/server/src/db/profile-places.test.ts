import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { profilePlaces } from './profile-places.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const at = (obis: string) => ({ classId: 7, obis, attribute: 2 });

async function addProfile(key: string, parent: string | undefined, objects?: object): Promise<void> {
  const body = { ...(parent === undefined ? {} : { extends: parent }), ...(objects === undefined ? {} : { objects }), quirks: {} };
  await database.pool.query("insert into southbound_profile (key, name, device_kind, body) values ($1, $1, 'meter', $2)", [key, body]);
}

/** `key → OBIS` of one profile. */
async function placesOf(key: string) {
  const found = await sql<{ key: string; place: { obis: string } }>`
    select key, place from ${profilePlaces(sql`select id from southbound_profile where key = ${key}`)} as places`.execute(database.db);
  return Object.fromEntries(found.rows.map((row) => [row.key, row.place.obis]));
}

test('the nearest profile in the chain gives the location of an object, or removes it', async () => {
  await addProfile('far', undefined, { LPA: at('1.0.99.1.0.255'), LPB: at('1.0.99.2.0.255'), DAILY: at('1.0.98.2.0.255') });
  await addProfile('middle', 'far', { LPA: at('1.0.99.16.0.255'), LPB: null });
  await addProfile('silent', 'middle');
  await addProfile('near', 'silent', { DAILY: at('1.0.98.9.0.255') });
  expect(await placesOf('near')).toEqual({ LPA: '1.0.99.16.0.255', DAILY: '1.0.98.9.0.255' });
  expect(await placesOf('far')).toEqual({ LPA: '1.0.99.1.0.255', LPB: '1.0.99.2.0.255', DAILY: '1.0.98.2.0.255' });
});

test('profiles that extend each other have the objects of both, and the query terminates', async () => {
  await addProfile('one', 'other', { LPA: at('1.0.99.1.0.255') });
  await addProfile('other', 'one', { LPA: at('1.0.99.3.0.255'), LPB: at('1.0.99.2.0.255') });
  expect(await placesOf('one')).toEqual({ LPA: '1.0.99.1.0.255', LPB: '1.0.99.2.0.255' });
});
