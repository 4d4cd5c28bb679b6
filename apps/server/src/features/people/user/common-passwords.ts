/** Minimum length of the list. It has 49,233 passwords from breaches, the most common first. */
const FEWEST = 40_000;
/** For this number of entries, disguised forms are rejected as well. Rarer entries are words that occur in good passwords. */
const COMMONEST = 10_000;
const SHORTEST_STEM = 4;

/** Words of the industry, the country and default accounts, which count as common regardless of their rank in the list. */
const OWN_WORDS =
  'hes dcu dlms cosem concentrator headendsystem admin administrator operator root password welcome letmein changeme meter metering smartmeter energy electric power headend utility woaini wodemima mima zhongguo china beijing shanghai nihao ceshi yonghu guanliyuan dianli dianbiao dianwang zhuzhan jizhongqi';

const OWN = new Set(OWN_WORDS.split(' '));

interface Known {
  breached: Set<string>;
  /** Words that are rejected in disguised forms, too. */
  words: Set<string>;
}

let known: Promise<Known> | undefined;

/** Loads the list on the first change of a password, because it is large and seldom used. */
function commonWords(): Promise<Known> {
  known ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => {
    const list: unknown = dictionary['passwords-common'];
    const breached = Array.isArray(list) ? list.map(String) : [];
    if (breached.length < FEWEST) throw new Error('The list of common passwords is not what it was');
    return { breached: new Set(breached), words: new Set([...breached.slice(0, COMMONEST), ...OWN]) };
  });
  return known;
}

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
const onlyLetters = (text: string) => text.replaceAll(/[^a-z]/g, '');

/**
 * Whether a password is in the list of breaches, is a disguised form of the 10,000 most common ones, or contains the user name.
 * A disguise replaces letters by signs and appends digits (`P@ssw0rd2024!`), which the rule of the specification accepts.
 */
export async function isCommonPassword(password: string, username: string): Promise<boolean> {
  const lower = password.toLowerCase();
  const name = username.toLowerCase();
  if (name.length >= 3 && (lower.includes(name) || lettersOf(lower).includes(name))) return true;
  const { breached, words } = await commonWords();
  const trimmed = lower.replace(/^[^a-z@$]+/, '').replace(/[\W\d_]+$/, '');
  if (breached.has(lower) || words.has(lower) || words.has(lettersOf(lower))) return true;
  const stems = [trimmed, lower, lettersOf(trimmed)].map(onlyLetters);
  return stems.some((stem) => (stem.length >= SHORTEST_STEM || OWN.has(stem)) && words.has(stem));
}
