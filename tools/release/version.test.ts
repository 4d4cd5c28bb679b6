import { expect, test } from 'vitest';
import { versionOf } from './version.ts';

const COMMIT = { commit: '951712bea0', committedS: 1_764_340_000 };

test('a commit with the tag of its version is that release', () => {
  expect(versionOf('0.1.0', { ...COMMIT, tags: ['v0.1.0'] })).toEqual({ semver: '0.1.0', debian: '0.1.0', isTagged: true });
});

test('a commit with another tag is a build before the release, which Debian counts as older', () => {
  expect(versionOf('0.1.0', { ...COMMIT, tags: ['v0.0.9'] })).toEqual({
    semver: '0.1.0-dev.1764340000.g951712be',
    debian: '0.1.0~dev.1764340000.g951712be',
    isTagged: false,
  });
});
