/**
 * Compares typed words with those that a dialog asks for. Its button is disabled until they are right, so the field shows an error as soon as
 * as many characters are typed, and not before.
 */
export function judgeTyped(typed: string, expected: string): { isRight: boolean; isShownWrong: boolean } {
  const isRight = typed.trim().toUpperCase() === expected.toUpperCase();
  return { isRight, isShownWrong: !isRight && typed.trim().length >= expected.length };
}
