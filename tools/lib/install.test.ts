import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { explainNpm, mayWrite } from './install.mjs';
import { root } from './paths.mjs';
import { Trouble } from './say.mjs';

describe('an error of npm ci becomes a sentence with a remedy', () => {
  test.each([
    ['npm error code ENOSPC\nnpm error errno -28', 'The disk is full'],
    ['npm error code EACCES\nnpm error syscall mkdir', 'No write permission'],
    ['npm error code EROFS', 'No write permission'],
    ['npm error code ENOTFOUND\nnpm error network request failed', 'The npm registry cannot be reached'],
    ['npm error code ECONNREFUSED', 'The npm registry cannot be reached'],
    ['npm error code EUSAGE\nnpm error `npm ci` can only install packages when in sync', 'package-lock.json and package.json disagree'],
    ['npm error code EINTEGRITY', 'A downloaded package is damaged'],
    ['spawn npm ENOENT', 'npm was not found'],
    ['an unforeseen error', 'the end of its output: an unforeseen error'],
  ])('%j', (output, sentence) => {
    expect(explainNpm(output)).toContain(sentence);
  });

  test('an unusable folder is reported before npm runs', () => {
    expect(() => mayWrite(path.join(root, 'package.json', 'below-a-file'))).toThrow(Trouble);
  });
});
