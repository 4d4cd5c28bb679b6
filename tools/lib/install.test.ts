import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { explainNpm, mayWrite } from './install.mjs';
import { root } from './paths.mjs';
import { Trouble } from './say.mjs';

describe('what npm ci complains about becomes a sentence that says what to do', () => {
  test.each([
    ['npm error code ENOSPC\nnpm error errno -28', 'The disk is full'],
    ['npm error code EACCES\nnpm error syscall mkdir', 'There is no right to write'],
    ['npm error code EROFS', 'There is no right to write'],
    ['npm error code ENOTFOUND\nnpm error network request failed', 'The npm registry cannot be reached'],
    ['npm error code ECONNREFUSED', 'The npm registry cannot be reached'],
    ['npm error code EUSAGE\nnpm error `npm ci` can only install packages when in sync', 'package-lock.json and package.json disagree'],
    ['npm error code EINTEGRITY', 'A downloaded package is damaged'],
    ['spawn npm ENOENT', 'npm was not found'],
    ['something nobody foresaw', 'its last words were: something nobody foresaw'],
  ])('%j', (output, sentence) => {
    expect(explainNpm(output)).toContain(sentence);
  });

  test('a folder that cannot be is told before npm is asked', () => {
    expect(() => mayWrite(path.join(root, 'package.json', 'below-a-file'))).toThrow(Trouble);
  });
});
