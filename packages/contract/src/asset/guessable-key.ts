const FEW_OCTETS = 4;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/**
 * Whether a key is guessable: a sequence such as in the examples of the standards, two equal halves, at most four different octets, or
 * digits as text. A random generator practically never produces such keys.
 */
export function isGuessable(hex: string): boolean {
  const octets = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const step = ((octets[1] ?? 0) - (octets[0] ?? 0)) & 0xff;
  const isStaircase = octets.every((octet, at) => at === 0 || ((octet - (octets[at - 1] ?? 0)) & 0xff) === step);
  const half = octets.length / 2;
  const isRepeated = octets.every((octet, at) => octet === octets[(at + half) % octets.length]);
  const isDigits = octets.every((octet) => octet >= DIGIT_0 && octet <= DIGIT_9);
  return isStaircase || isRepeated || isDigits || new Set(octets).size <= FEW_OCTETS;
}
