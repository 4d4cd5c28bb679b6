const NAMED = 12;

/** The first names of a long list, and the number of the remaining ones. */
export const someOf = (names: readonly string[]): string[] =>
  names.length > NAMED ? [...names.slice(0, NAMED), `+ ${names.length - NAMED}`] : [...names];
