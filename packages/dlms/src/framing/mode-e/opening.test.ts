import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../../codec/decode-error.ts';
import { fromHex, toHex } from '../../codec/hex.ts';
import { decodeIdentification, textOf, withParity } from './identification.ts';
import { ModeEError, openModeE, type ModeEOpening, type ModeEOptions } from './opening.ts';

const NOTHING = new Uint8Array(0);
const IDENTIFICATION = '/LGZ5\\2ZMD3104007.B32\r\n';

interface Told {
  opening: ModeEOpening;
  /** Steps in words, without those of reception. */
  steps: string[];
}

/** Runs an opening with the chunks that the port receives; afterwards it receives nothing. */
function run(chunks: readonly (string | Uint8Array)[], options: ModeEOptions = {}): Told {
  const steps: string[] = [];
  const opening = openModeE(options);
  const waiting = [...chunks];
  let step = opening.next(NOTHING);
  while (step.done !== true) {
    const { value } = step;
    if (value.type === 'send') steps.push(`send ${toHex(value.octets)}`);
    if (value.type === 'baud') steps.push(`baud ${value.baud}`);
    if (value.type === 'pause') steps.push(`pause ${value.ms}`);
    const next = value.type === 'receive' ? waiting.shift() : undefined;
    step = opening.next(typeof next === 'string' ? withParity(next) : (next ?? NOTHING));
  }
  return { opening: step.value, steps };
}

function codeOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ModeEError) return error.code;
    throw error;
  }
  return undefined;
}

describe('the opening in mode E', () => {
  it('calls at 300 baud, acknowledges HDLC at the baud of the meter, and changes to it', () => {
    const { opening, steps } = run([IDENTIFICATION, '\x06252\r\n']);
    expect(steps).toEqual([
      'baud 300',
      // "/?!" CR LF with even parity.
      'send AF3F218D0A',
      'pause 200',
      // The acknowledgement for 9600 baud, as the Green Book shows it.
      'send 06B235B28D0A',
      'pause 200',
      'baud 9600',
    ]);
    expect(opening).toEqual({
      manufacturer: 'LGZ',
      baud: 9600,
      agreedBaud: 9600,
      isModeE: true,
      identification: 'ZMD3104007.B32',
      reactionMs: 200,
    });
  });

  it('addresses one meter of several, and keeps to the baud of the head', () => {
    const { opening, steps } = run(['/ISk6\\2MT880\r\n'], { address: '1234', maxBaud: 4800 });
    expect(steps.map((step) => step.replace(/^send (.*)/, (_, hex: string) => `send ${textOf(fromHex(hex))}`))).toEqual([
      'baud 300',
      'send /?1234!\r\n',
      'pause 20',
      'send \x06242\r\n',
      'pause 20',
      'baud 4800',
    ]);
    expect([opening.baud, opening.agreedBaud]).toEqual([19_200, 4800]);
  });

  it('takes the identification in any pieces, without parity, after noise and after an echo', () => {
    const octets = new TextEncoder().encode(IDENTIFICATION);
    const each = Array.from(octets, (octet) => Uint8Array.of(octet));
    expect(run(each).opening.identification).toBe('ZMD3104007.B32');
    expect(run(['\0\x7f', IDENTIFICATION]).opening.manufacturer).toBe('LGZ');
    expect(run(['/?!', '\r\n/LG', 'Z5\\2ZMD\r\n', '\x06252\r\n', '\x06252\r\n']).opening.identification).toBe('ZMD');
    expect(run(['/?!\r\n', IDENTIFICATION, '\x06252\r\n']).opening.identification).toBe('ZMD3104007.B32');
  });

  it.each([
    ['no answer', [], 'NO_ANSWER'],
    ['the echo alone', ['/?!\r\n'], 'NO_ANSWER'],
    ['half an identification', ['/LGZ5'], 'NO_ANSWER'],
    ['no identification', ['/L\r\n'], 'NOT_IDENTIFIED'],
    ['a baud of mode B', ['/LGZC\\2X\r\n'], 'NOT_IDENTIFIED'],
    ['an endless line', [`/LGZ5${'X'.repeat(130)}`], 'NOT_IDENTIFIED'],
    ['noise without end', ['x'.repeat(129)], 'NOT_IDENTIFIED'],
    ['a meter without HDLC', ['/LGZ5ZMD\r\n'], 'NOT_MODE_E'],
    ['another acknowledgement', [IDENTIFICATION, '\x06050\r\n'], 'NOT_CONFIRMED'],
    ['a cut acknowledgement', [IDENTIFICATION, '\x0625'], 'NOT_CONFIRMED'],
  ])('ends after %s', (_, chunks, code) => {
    expect(codeOf(() => run(chunks))).toBe(code);
  });

  it('needs a head of 300 baud', () => {
    expect(() => run([IDENTIFICATION], { maxBaud: 299 })).toThrow(RangeError);
  });
});

describe('identifications', () => {
  it('may have a code of the manufacturer before the text', () => {
    expect(decodeIdentification(withParity('/EMH4\\@\\2\\9LZQJ\r\n'))).toMatchObject({ isModeE: true, identification: 'LZQJ', baud: 4800 });
    expect(decodeIdentification(withParity('/EMH4\\9LZQJ\r\n'))).toMatchObject({ isModeE: false });
  });

  it('are decoded or refused with DecodeError for any octets', () => {
    const start = fc.constantFrom('/LGZ5', '/LGZ5\\2', '/ISk', '');
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 40 }), (text, more) => {
        try {
          decodeIdentification(Uint8Array.of(...withParity(text), ...more));
        } catch (error) {
          if (!(error instanceof DecodeError)) throw error;
        }
      }),
    );
  });

  it('have even parity', () => {
    const octets = withParity('AC2\r');
    expect(toHex(octets)).toBe('41C3B28D');
    expect(textOf(octets)).toBe('AC2\r');
  });
});
