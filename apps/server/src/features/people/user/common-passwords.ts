/** The list has 49,233 passwords that were found in breaches, the commonest first. */
const FEWEST = 40_000;
/** Of these a disguise is recognised as well: farther down stand words that good passwords are made of. */
const COMMONEST = 10_000;
const SHORTEST_STEM = 4;

/** Words of this trade, this country and every front door, wherever a world-wide list ranks them. */
const OWN_WORDS =
  'hes dcu dlms cosem concentrator headendsystem admin administrator operator root password welcome letmein changeme meter metering smartmeter energy electric power headend utility woaini wodemima mima zhongguo china beijing shanghai nihao ceshi yonghu guanliyuan dianli dianbiao dianwang zhuzhan jizhongqi';

const OWN = new Set(OWN_WORDS.split(' '));

interface Known {
  breached: Set<string>;
  /** Refused in disguise, too. */
  words: Set<string>;
}

let known: Promise<Known> | undefined;

/** Loaded with the first change of a password: the list is large and most days nobody asks. */
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
 * Whether a password was found in breaches, is one of the 10,000 commonest in disguise, or holds the user's own name. The rule
 * of the specification refuses nearly all of such a list word by word; what passes it is a common word with letters
 * swapped for signs and a tail of digits: `P@ssw0rd2024!`.
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
