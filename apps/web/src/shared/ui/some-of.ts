const NAMED = 12;

/** The first of many names, and how many more there are. */
export const someOf = (names: readonly string[]): string[] =>
  names.length > NAMED ? [...names.slice(0, NAMED), `+ ${names.length - NAMED}`] : [...names];
