import { PASSWORD_MIN, PASSWORD_RULE } from '@hes/contract/core/rules.ts';

/** Without ambiguous characters: the password is read aloud or typed from paper. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_+=#%';
const LENGTH = 14;

/** A random password, uniform over the alphabet, that satisfies the rule and has at least `min` characters. */
export function generatePassword(min = PASSWORD_MIN): string {
  const length = Math.max(LENGTH, min);
  const limit = 256 - (256 % ALPHABET.length);
  for (;;) {
    const octets = crypto.getRandomValues(new Uint8Array(length * 3)).filter((octet) => octet < limit);
    const word = Array.from(octets.subarray(0, length), (octet) => ALPHABET[octet % ALPHABET.length]).join('');
    if (word.length === length && PASSWORD_RULE.test(word)) return word;
  }
}
