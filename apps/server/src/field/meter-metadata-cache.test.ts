import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { MeterMetadataCache } from './meter-metadata-cache.ts';
import { MeterMetadata, NO_METADATA, cachePerMetadata } from './meter-metadata.ts';
import { insertMetadata } from './queries.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

const LAYOUT = { columns: [{ classId: 8 }], periodSeconds: 900 };

test('meters with equal metadata share one frozen object, in any order of reads', () => {
  const cache = new MeterMetadataCache(database.pool);
  const one = cache.withValue(cache.withValue(NO_METADATA, 'depth:lpa', 1), 'profile:x', LAYOUT);
  const other = cache.withValue(cache.withValue(NO_METADATA, 'profile:x', LAYOUT), 'depth:lpa', 1);
  expect(other).toBe(one);
  expect(one.get('profile:x')).toEqual(LAYOUT);
  expect(() => Object.assign(one.get('profile:x') as object, { periodSeconds: 1 })).toThrow(TypeError);
});

test('a changed value gives another object, the former one is unchanged, and an equal value changes nothing', () => {
  const cache = new MeterMetadataCache(database.pool);
  const before = cache.withValue(NO_METADATA, 'depth:lpa', 1);
  const after = cache.withValue(before, 'depth:lpa', 2);
  expect([before.get('depth:lpa'), after.get('depth:lpa')]).toEqual([1, 2]);
  expect(cache.withValue(after, 'depth:lpa', 2)).toBe(after);
  expect(NO_METADATA.has('depth:lpa')).toBe(false);
});

test('stored metadata is loaded once, unchanged, and is reused for other meters', async () => {
  const written = new MeterMetadata(NO_METADATA.serializeWith('absent:real-time', ['I0', '"\\']));
  await insertMetadata(database.pool, new Set([written]));
  const id = written.id ?? '';
  const cache = new MeterMetadataCache(database.pool);
  const loaded = (await cache.load(new Set([id]))).get(id);
  expect(loaded).toMatchObject({ id, text: written.text });
  expect(loaded?.get('absent:real-time')).toEqual(['I0', '"\\']);
  expect((await cache.load(new Set([id]))).get(id)).toBe(loaded);
  expect(cache.withValue(NO_METADATA, 'absent:real-time', ['I0', '"\\'])).toBe(loaded);
});

test('a derived value is computed once per metadata and part', () => {
  let times = 0;
  const derived = cachePerMetadata((metadata, part: object) => ({ times: ++times, metadata, part }));
  const [metadata, other, part] = [new MeterMetadata('{}'), new MeterMetadata('{}'), {}];
  expect(derived(metadata, part)).toBe(derived(metadata, part));
  expect(derived(other, part)).toMatchObject({ times: 2, metadata: other });
  expect(derived(metadata, {})).toMatchObject({ times: 3 });
});
