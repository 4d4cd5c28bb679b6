/** A wording that readers have to decode, and the plain one. */
export interface Phrase {
  wording: RegExp;
  instead: string;
}

/** `docs/glossary.md` has the terms; this list has what stands in their place when a comment is not plain English. */
export const PHRASES: readonly Phrase[] = [
  { wording: /\b(?:nobody|no one|somebody|someone|anybody|anyone)\b/i, instead: 'name the caller, the worker, the operator or the meter' },
  { wording: /\b(?:who|what|which)ever\b/i, instead: 'name the subject' },
  { wording: /(?:^|[.;:] )[Ww]ho (?!\w+s? .*\?)/, instead: 'name the subject' },
  { wording: /(?:^|[.;:] )What\b(?!.*\?)/, instead: 'a noun as the subject' },
  { wording: /\bwhat (?:is|was|are|were|has|had|came|comes|stands|belongs|lies|remains)\b/i, instead: 'a noun as the subject' },
  { wording: /\b(?:told|untold)\b/i, instead: 'reported, announced, sent' },
  { wording: /\banew\b/i, instead: 'again' },
  { wording: /\bby (?:it|them)self\b/i, instead: 'automatically, alone' },
  { wording: /\bof (?:its|their|his|our) own\b/i, instead: 'own, separate' },
  { wording: /\bso (?:many|much|often|few)\b(?! that)/i, instead: 'a number, a rate, a limit' },
  { wording: /\bbeside\b/i, instead: 'next to, in parallel with, as well as' },
  { wording: /\b(?:gives?|gave|giving) way\b/i, instead: 'yields' },
  { wording: /\b(?:patience|patient|impatient)\b/i, instead: 'response timeout' },
  { wording: /\b(?:silences?|(?:said|says?) nothing)\b/i, instead: 'timeout, no response' },
  { wording: /\bin turns\b/i, instead: 'sharded, interleaved, alternating' },
  { wording: /\b(?:in|into) (?:its|their|his|our) hands?\b/i, instead: 'in flight, claimed' },
  { wording: /\b(?:goes?|went|going) on\b/i, instead: 'continues' },
  { wording: /\b(?:look(?:s|ed|ing)? after|cared? for)\b/i, instead: 'checked periodically' },
  { wording: /\bstrangers?\b/i, instead: 'unregistered device, unknown caller' },
  { wording: /\bstumbl(?:e|es|ed)\b/i, instead: 'fails' },
  { wording: /\b(?:nursery|town|door|desk|shelf)\b/i, instead: 'the term of computing' },
  { wording: /\bceilings?\b/i, instead: 'limit' },
];

/** The wordings of a text that are not plain English, with the plain ones. */
export const findDialect = (text: string): string[] =>
  PHRASES.flatMap(({ wording, instead }) => {
    const found = wording.exec(text);
    return found ? [`“${found[0].trim()}”: ${instead}`] : [];
  });
