import type { AnnotatedNode } from '@hes/dlms/entry/root.ts';
import type { Section } from './explain.ts';
import { meaningOf, pairsOf } from './meaning.ts';

const SHOWN_OCTETS = 16;

/** Creates an element with attributes and children. */
export function element(tag: string, attributes: Readonly<Record<string, string>> = {}, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

interface Row {
  item: HTMLElement;
  line: HTMLElement;
  node: AnnotatedNode;
}

/** The tree of a section and its octets. The keyboard moves through it as through every tree: arrows, Home, End. */
export function treeOf({ octets, nodes }: Section, label: string): HTMLElement {
  const pairs = pairsOf(octets).map((pair) => element('span', {}, pair));
  const rows: Row[] = [];
  const list = (of: readonly AnnotatedNode[], depth: number): HTMLElement => {
    const items = of.map((node) => {
      const line = lineOf(node, octets, depth);
      const item = element('li', { role: 'treeitem', tabindex: '-1', 'aria-level': String(depth + 1) }, line);
      rows.push({ item, line, node });
      if (node.children.length > 0) {
        item.setAttribute('aria-expanded', 'true');
        item.append(list(node.children, depth + 1));
      }
      return item;
    });
    return element('ul', depth === 0 ? { role: 'tree', 'aria-label': label } : { role: 'group' }, ...items);
  };
  const tree = list(nodes, 0);
  rows[0]?.item.setAttribute('tabindex', '0');
  connect(tree, rows, (node) => {
    for (const [at, pair] of pairs.entries()) pair.classList.toggle('marked', at >= node.offset && at < node.offset + node.length);
  });
  const dump = element('div', { class: 'decoder-octets', 'aria-hidden': 'true' }, ...pairs.flatMap((pair) => [pair, ' ']));
  return element('div', { class: 'decoder-section' }, tree, dump);
}

function lineOf(node: AnnotatedNode, octets: Uint8Array, depth: number): HTMLElement {
  const { name, offset, length, value } = node;
  const shown = pairsOf(octets.subarray(offset, offset + Math.min(length, SHOWN_OCTETS))).join(' ') + (length > SHOWN_OCTETS ? ' …' : '');
  const meaning = meaningOf(node);
  return element(
    'div',
    { class: 'decoder-line', style: `--depth: ${depth}`, title: `${shown} (octet ${offset}, length ${length})` },
    element('span', { class: 'decoder-offset' }, offset.toString(16).toUpperCase().padStart(4, '0')),
    element('span', { class: 'decoder-name' }, name),
    ...(value === undefined ? [] : [element('span', { class: 'decoder-value' }, value)]),
    ...(meaning === undefined ? [] : [element('span', { class: 'decoder-meaning' }, meaning)]),
  );
}

const isShown = ({ item }: Row): boolean => item.parentElement?.closest('[aria-expanded="false"]') == null;

/** Pointer and keyboard. `mark` shows the octets of a node. */
function connect(tree: HTMLElement, rows: readonly Row[], mark: (node: AnnotatedNode) => void): void {
  const go = (row: Row | undefined): void => {
    if (row === undefined) return;
    for (const { item } of rows) item.setAttribute('tabindex', '-1');
    row.item.setAttribute('tabindex', '0');
    row.item.focus();
  };
  const toggle = ({ item }: Row, isOpen = item.getAttribute('aria-expanded') !== 'true'): void => {
    if (item.hasAttribute('aria-expanded')) item.setAttribute('aria-expanded', String(isOpen));
  };
  for (const row of rows) {
    row.line.addEventListener('click', () => {
      toggle(row);
      go(row);
    });
    row.line.addEventListener('pointerenter', () => mark(row.node));
    row.item.addEventListener('focus', () => mark(row.node));
  }
  tree.addEventListener('keydown', (event) => {
    const current = rows.find(({ item }) => item === document.activeElement);
    const shown = rows.filter(isShown);
    const at = current === undefined ? -1 : shown.indexOf(current);
    if (current === undefined || at < 0) return;
    const isOpen = current.item.getAttribute('aria-expanded');
    const parent = rows.find(({ item }) => item === current.item.parentElement?.closest('[role="treeitem"]'));
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(shown[at + 1]),
      ArrowUp: () => go(shown[at - 1]),
      Home: () => go(shown[0]),
      End: () => go(shown.at(-1)),
      ArrowRight: () => (isOpen === 'false' ? toggle(current, true) : isOpen === 'true' ? go(shown[at + 1]) : undefined),
      ArrowLeft: () => (isOpen === 'true' ? toggle(current, false) : go(parent)),
      Enter: () => toggle(current),
      ' ': () => toggle(current),
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  });
}

/** The tree as lines of text. */
export function textOf({ octets, nodes }: Section): string {
  const lines = (of: readonly AnnotatedNode[], depth: number): string[] =>
    of.flatMap((node) => {
      const { name, offset, length, value, children } = node;
      const hex = pairsOf(octets.subarray(offset, offset + Math.min(length, SHOWN_OCTETS))).join('') + (length > SHOWN_OCTETS ? '…' : '');
      const meaning = meaningOf(node);
      const words = `${'  '.repeat(depth)}${name}${value === undefined ? '' : ` = ${value}`}${meaning === undefined ? '' : ` (${meaning})`}`;
      return [
        `${offset.toString(16).toUpperCase().padStart(4, '0')}  ${hex.padEnd(2 * SHOWN_OCTETS + 1)}  ${words}`,
        ...lines(children, depth + 1),
      ];
    });
  return lines(nodes, 0).join('\n');
}
