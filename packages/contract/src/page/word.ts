/** A word in the query of an address, declared without the schema library: the start of the console reads the words of every page. */
export interface Word<V extends string = string> {
  /** Every valid value, or examples of them for a word that a rule decides; empty: any text is valid. */
  readonly values: readonly V[];
  /** The value in the text of an address; undefined: the text is invalid. */
  readonly read: (text: string) => V | undefined;
}

/** Any text, which the server judges. */
export const anyText: Word = { values: [], read: (text) => text };

/** One of some values; a word that joins two lists may repeat a value. */
export const oneOf = <const V extends string>(values: readonly V[]): Word<V> => ({
  values: [...new Set(values)],
  read: (text) => values.find((value) => value === text),
});

/** A text that satisfies a rule. */
export const textThat = <const V extends string>(isValid: (text: string) => text is V, examples: readonly V[]): Word<V> => ({
  values: examples,
  read: (text) => (isValid(text) ? text : undefined),
});
