import { RELAY_TEXT } from '@hes/contract/text/device-text.ts';
import type { Page } from '@playwright/test';
import type { Difference } from '../../tools/truth/compare.ts';

/** The card of a meter in a real-time run: cells by phase and quantity, with further facts. */
interface Card {
  sn: string;
  readAt: string;
  cells: { phase: string; heading: string; text: string }[];
  facts: { name: string; text: string }[];
}

/** Composition of a displayed figure: added and subtracted items. */
interface Made {
  plus: string;
  minus?: string;
}

const SN_HEADING = 'Meter SN';
const UNIT = /\(([^()]+)\)$/;
const FIGURE = /[-−]?[\d,]+(?:\.\d+)?/;
const MISSING = '—';
const RELAY_OF_STATE = [RELAY_TEXT.disconnected.en, RELAY_TEXT.connected.en, RELAY_TEXT.ready.en];
const TOTALS: Record<string, Made> = {
  I: { plus: 'I0' },
  P: { plus: 'P_PLUS', minus: 'P_MINUS' },
  Q: { plus: 'Q_PLUS', minus: 'Q_MINUS' },
  PF: { plus: 'PF' },
};
const FACTS: Record<string, Made> = {
  'Energy +': { plus: 'E_PLUS' },
  'Energy −': { plus: 'E_MINUS' },
  T1: { plus: 'E_PLUS_T1' },
  T2: { plus: 'E_PLUS_T2' },
  T3: { plus: 'E_PLUS_T3' },
  T4: { plus: 'E_PLUS_T4' },
  Frequency: { plus: 'FREQUENCY' },
};

const cardsOf = (page: Page): Promise<Card[]> =>
  page.locator('main article[aria-label]').evaluateAll((articles) =>
    articles.map((article) => {
      const textOf = (element: Element | null | undefined) => (element instanceof HTMLElement ? element.innerText.trim() : '');
      const headings = [...article.querySelectorAll('thead th')].map(textOf);
      return {
        sn: article.getAttribute('aria-label') ?? '',
        readAt: textOf(article.querySelector('footer span')),
        cells: [...article.querySelectorAll('tbody tr')].flatMap((row) =>
          [...row.children].slice(1).map((cell, at) => ({
            phase: textOf(row.children[0]),
            heading: headings[at + 1] ?? '',
            text: textOf(cell),
          })),
        ),
        facts: [...article.querySelectorAll('dl > div')].map((fact) => ({
          name: textOf(fact.querySelector('dt')),
          text: textOf(fact.querySelector('dd')),
        })),
      };
    }),
  );

const numberIn = (text: string): number => Number((FIGURE.exec(text)?.[0] ?? '').replaceAll(',', '').replace('−', '-'));
const stepOf = (text: string): number => 10 ** -(FIGURE.exec(text)?.[0].split('.')[1]?.length ?? 0);

/** Composition of a phase quantity: a single-phase meter measures it as its total. */
function madeOfPhase(phase: string, quantity: string, isThree: boolean): Made | undefined {
  if (phase === 'Total') return TOTALS[quantity];
  const number = phase.slice(1);
  if (quantity === 'U' || quantity === 'I') return { plus: `${quantity}${number}` };
  if (quantity === 'P') return isThree ? { plus: `P${number}_PLUS`, minus: `P${number}_MINUS` } : TOTALS['P'];
  return quantity === 'PF' ? { plus: isThree ? `PF${number}` : 'PF' } : undefined;
}

/**
 * Compares the cards of a real-time run with the last line of each meter in the exported series: every figure with its
 * unit, the relay and the clock. Undefined for other files and for pages without cards.
 */
export async function cardDifferences(
  page: Page,
  [head = [], ...lines]: string[][],
  nameOfItem: ReadonlyMap<string, string>,
): Promise<{ rows: number; differences: Difference[] } | undefined> {
  const snAt = head.indexOf(SN_HEADING);
  const cards = await cardsOf(page);
  if (snAt === -1 || cards.length === 0) return undefined;
  const differences: Difference[] = [];
  for (const card of cards) {
    const sn = card.sn.replaceAll(/\s/g, '');
    const line = lines.filter((each) => each[snAt]?.replaceAll(/\s/g, '') === sn).at(-1) ?? [];
    const differs = (what: string, screen: string, file: string) =>
      differences.push({ kind: 'value', where: `${sn}, ${what}`, screen, file });
    const inFile = (item: string): { value: string; unit: string | undefined } | undefined => {
      const name = nameOfItem.get(item) ?? item;
      const at = head.findIndex((heading, place) => heading.replace(UNIT, '').trim() === name && line[place] !== '');
      return at === -1 || line[at] === undefined ? undefined : { value: line[at], unit: UNIT.exec(head[at] ?? '')?.[1] };
    };
    const compare = (what: string, text: string, unit: string | undefined, { plus, minus }: Made) => {
      const added = inFile(plus);
      const taken = minus === undefined ? undefined : inFile(minus);
      const found = added ?? taken;
      if (text === MISSING || found === undefined) {
        if ((text === MISSING) !== (found === undefined)) differs(what, text, found?.value ?? 'none');
        return;
      }
      if (unit !== found.unit) differs(`${what}, unit`, unit ?? 'none', found.unit ?? 'none');
      const filed = Number(added?.value ?? 0) - Number(taken?.value ?? 0);
      if (!(Math.abs(filed - numberIn(text)) <= stepOf(text) / 2 + Math.abs(filed) * 1e-12)) differs(what, text, String(filed));
    };
    const isThree = card.cells.some(({ phase }) => phase === 'L2');
    for (const { phase, heading, text } of card.cells) {
      const made = madeOfPhase(phase, heading.replace(UNIT, '').trim(), isThree);
      if (made) compare(`${phase} ${heading}`, text, UNIT.exec(heading)?.[1], made);
      else if (text !== MISSING) differs(`${phase} ${heading}`, text, 'not in the file');
    }
    for (const { name, text } of card.facts) {
      const made = FACTS[name];
      if (made) compare(name, text, text.split(' ').at(-1) === MISSING ? undefined : text.split(' ').at(-1), made);
    }
    const relay = inFile('RELAY_STATE')?.value;
    const shownRelay = card.facts.find(({ name }) => name === 'Relay')?.text ?? '';
    if (relay !== undefined && relay !== shownRelay && RELAY_OF_STATE[Number(relay)] !== shownRelay) differs('Relay', shownRelay, relay);
    const clock = inFile('CLOCK')?.value;
    const shownClock = card.facts.find(({ name }) => name === 'Meter clock')?.text ?? '';
    if (clock !== undefined && !clock.includes(shownClock)) differs('Meter clock', shownClock, clock);
  }
  return { rows: cards.length, differences };
}
