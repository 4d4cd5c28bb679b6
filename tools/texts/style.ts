import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sourceTexts, type SourceText } from './source-texts.ts';

/** A violation of the style of texts, with what to do. */
export interface StyleFault {
  files: string[];
  en: string;
  fault: string;
}

/** Texts in these files are names, which are written with capitals: pages, roles, events, audit actions, COSEM objects, models and examples. */
const NAMES =
  /audit\/actions\.ts$|well-known\.ts$|seed\/(?:event-codes|modules)\.ts$|url\/pages\.ts$|reading\/quantities\.ts$|text\/(?:roles|reference-models)\.ts$|examples\.ts$|sign-in-page\/routes\.ts$/;
/** Names that sentences mention: of pages and of quantities. */
const MENTIONED = /seed\/modules\.ts$|reading\/quantities\.ts$/;
/** Statements about the product; what they quote is spelled as the specification demands. */
const STATEMENTS = 'tools/spec/statements.md';
/** Sentences of the specification that the statements do not quote, and those that imitate its forms on the same page. */
const SPECIFIED = [
  'Back To Home',
  'Login Expired',
  'More Than 7 Characters, Including Upper And Lower Case, Numbers, Special Characters, And No Spaces',
  'At Least {min} Characters, Including Upper And Lower Case, Numbers, Special Characters, And No Spaces',
  'Please Accept The Service Agreement',
  'Please Drag The Slider To Verify',
  'Please Log In Again',
  'Request Failed, Check Network',
  'Request Timed Out',
];
/** Names of products and keys, of the days, and the fields of protocols. */
const PROPER = new Set(
  'Authorization Caps Chinese English Enter Entra Ethernet Excel Google Grafana Idempotency-Key Keycloak Microsoft Nats-Msg-Id Okta Prometheus Slack Teams Mon Tue Wed Thu Fri Sat Sun'.split(
    ' ',
  ),
);
/** Names of more than one word that are no page. */
const PHRASES = ['Active Directory', 'Caps Lock', 'DLMS User Association', 'Standard Webhooks'];
/** Rooms that are rebuilt at present; they join when that work has landed. */
const LATER = /system-management\/(?:nodes|deliveries)\/|contract\/src\/delivery\//;
const CAPITAL = /^[(“"]?(?<word>[A-Z][a-z]+(?:[-/][A-Za-z]+)*)[^A-Za-z0-9]*$/;
/** After these, a new sentence or a value begins. */
const BREAK = /[.?!:·—→/;>|]$/;

const BANNED: readonly [RegExp, string][] = [
  [/^(?:So|Whoever)\b/, 'begins with a word that has no subject: name what happens'],
  [/\b(?:hangs?|hung|heard|strangers?|judged?|somebody|nobody|anew|whoever|learnt)\b/i, 'uses a word of the review’s list'],
  [/\bby (?:itself|themselves)\b/i, 'says "automatically" in other words'],
  [/(?<!At most [^.]*)\bat once\b/i, 'says "immediately" in other words'],
  [
    /\b(?:\w*(?:ynchron|ecogn|uthor|nitial|rgan|ormal|inim|axim|ummar|ptim)is(?:e[ds]?|ing|ation))\b/i,
    'is spelled with z, as the specification does',
  ],
  [/\b(?:color|behavior|center|neighbor)/i, 'is spelled as in British English'],
  [/\btime-outs?\b/i, 'is one word: timeout'],
];

const isWord = (token: string): boolean => /^[^A-Za-z]*[a-z]{2,}/.test(token);

/** Whether the words from `at` on are a label of the product, which a sentence may mention: "see History". */
const mentions = (tokens: readonly string[], at: number, labels: ReadonlySet<string>): boolean =>
  tokens.slice(at).some((_, length) =>
    labels.has(
      tokens
        .slice(at, at + length + 1)
        .join(' ')
        .replaceAll(/^[“"(]|[”"),.:;?]+$/g, ''),
    ),
  );

/** The first word that should not begin with a capital. Texts are in sentence case. */
export function capitalIn(text: string, labels: ReadonlySet<string>, names: readonly string[]): string | undefined {
  const tokens = names.reduce((rest, known) => rest.replaceAll(known, (name) => name.replaceAll(' ', '\u00A0')), text).split(' ');
  const isSentence = tokens.filter(isWord).length > 1;
  const start = tokens.findIndex((token) => /[A-Za-z0-9{]/.test(token));
  return tokens.find((token, at) => {
    const word = CAPITAL.exec(token)?.groups?.['word'];
    if (at <= start || word === undefined || PROPER.has(word) || BREAK.test(tokens[at - 1] ?? '')) return false;
    return !(isSentence && mentions(tokens, at, labels));
  });
}

/** All violations of the style in the texts of the product. */
export function styleFaults(root: string, texts: readonly SourceText[] = sourceTexts(root)): StyleFault[] {
  const quoted = [...readFileSync(path.join(root, STATEMENTS), 'utf8').matchAll(/"([^"]+)"/g)].map(([, words = '']) => words);
  const free = new Set([...quoted, ...SPECIFIED]);
  const labels = new Set(texts.map(({ en }) => en));
  const named = texts.filter(({ files }) => files.some((file) => MENTIONED.test(file))).map(({ en }) => en);
  const names = [...PHRASES, ...named.filter((name) => name.includes(' '))].toSorted((a, b) => b.length - a.length);
  return texts
    .filter(({ en, files }) => !free.has(en) && !files.some((file) => NAMES.test(file)) && !files.every((file) => LATER.test(file)))
    .flatMap(({ en, files }) => {
      const capital = capitalIn(en, labels, names);
      const faults = BANNED.filter(([pattern]) => pattern.test(en)).map(([, fault]) => fault);
      if (capital !== undefined) faults.push(`is not in sentence case: ${capital}`);
      return faults.map((fault) => ({ files, en, fault }));
    });
}
