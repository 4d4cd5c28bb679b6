/**
 * Stems of the passwords people choose most. The rule of the specification already refuses nearly all of the usual
 * lists word by word; what passes it is a stem with letters swapped for signs and a tail of digits: `P@ssw0rd2024!`.
 */
const STEMS = `
password passwort passwd pass pwd admin administrator root user guest login letmein welcome hello secret default changeme change master
qwerty qwertz qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm azerty qazwsx qwe asd zxc abc abcd abcde abcdef abcdefg abcdefgh test testing demo temp
iloveyou love lovely sunshine princess dragon monkey shadow superman batman spiderman pokemon starwars football baseball basketball soccer hockey
michael jordan jennifer thomas robert daniel george charlie andrew matthew joshua ashley nicole jessica amanda hunter buster tigger ginger
summer winter spring autumn january february march april may june july august september october november december monday friday sunday
trustno whatever freedom flower cheese cookie banana orange apple google facebook microsoft windows samsung computer internet server system
cisco oracle mysql postgres linux ubuntu debian docker meter metering energy power electric headend hes utility smartmeter
woaini wodemima mima zhongguo china beijing shanghai nihao ceshi yonghu guanliyuan dianli
`
  .trim()
  .split(/\s+/);

const stems = new Set(STEMS);

const SIGNS: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '8': 'b',
  '(': 'c',
  '3': 'e',
  '6': 'g',
  '1': 'i',
  '!': 'i',
  '|': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
  '+': 't',
  '2': 'z',
};

const lettersOf = (text: string) => [...text].map((sign) => SIGNS[sign] ?? sign).join('');
const isStem = (text: string) => stems.has(text.replaceAll(/[^a-z]/g, ''));

/** Whether a password is one of the common ones in disguise, or holds the user's own name. */
export function isCommonPassword(password: string, username: string): boolean {
  const lower = password.toLowerCase();
  const name = username.toLowerCase();
  if (name.length >= 3 && (lower.includes(name) || lettersOf(lower).includes(name))) return true;
  const trimmed = lower.replace(/^[^a-z@$]+/, '').replace(/[\W\d_]+$/, '');
  return isStem(lower) || isStem(trimmed) || isStem(lettersOf(trimmed)) || isStem(lettersOf(lower));
}
