/** Alternating widths of bars and gaps for the 107 symbols of Code 128. @spec ISO/IEC 15417 table 1 */
const SIGNS =
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112'.split(
    ' ',
  );
const START_B = 104;
const START_C = 105;
const TO_C = 99;
const STOP = 106;
const CHECK = 103;
const FIRST_LETTER = 32;
const LAST_LETTER = 126;

/** Symbol values. Code set C encodes digits in pairs: for runs of four or more at the end, or when the text has only digits. */
function valuesOf(text: string): number[] {
  const pairs = (digits: string) => (digits.match(/../g) ?? []).map(Number);
  if (/^(\d\d)+$/.test(text)) return [START_C, ...pairs(text)];
  const digits = /(?:\d\d){2,}$/.exec(text)?.[0] ?? '';
  const letters = text.slice(0, text.length - digits.length);
  const ofLetters = Array.from(letters, (letter) => letter.charCodeAt(0) - FIRST_LETTER);
  return [START_B, ...ofLetters, ...(digits === '' ? [] : [TO_C, ...pairs(digits)])];
}

/** Alternating widths of bars and gaps in modules, starting with a bar; undefined for characters outside Code 128 B. */
export function code128(text: string): number[] | undefined {
  if (text === '' || Array.from(text).some((letter) => letter.charCodeAt(0) < FIRST_LETTER || letter.charCodeAt(0) > LAST_LETTER))
    return undefined;
  const values = valuesOf(text);
  const check = values.reduce((sum, value, at) => sum + value * Math.max(1, at), 0) % CHECK;
  return [...values, check, STOP].flatMap((value) => Array.from(SIGNS[value] ?? '', Number));
}
