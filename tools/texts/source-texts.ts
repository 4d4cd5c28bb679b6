import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor, type Node, type ObjectExpression } from 'oxc-parser';

/** A text of the sources in both languages, with the files that contain it. */
export interface SourceText {
  en: string;
  zh: string;
  files: string[];
}

/** Names of the simulated fleet are data, not texts of the interface. */
const SOURCES = ['apps/{server,web}/src/**/*.{ts,tsx}', 'packages/*/src/**/*.{ts,tsx}'];
const HAN = /\p{Script=Han}/u;

/** The value of a string literal, or of a template without expressions. */
function stringOf(node: Node | null | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

function propertiesOf(object: ObjectExpression): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const property of object.properties) {
    if (property.type !== 'Property') continue;
    const { key } = property;
    const name = key.type === 'Identifier' ? key.name : stringOf(key);
    if (name !== undefined) found.set(name, stringOf(property.value));
  }
  return found;
}

/** Names of the properties that hold the two versions of a text. */
const KEYS = [
  ['en', 'zh'],
  ['en', 'zh-CN'],
  ['nameEn', 'nameZh'],
] as const;

/** All pairs `[en, zh]` of a file: in objects, and side by side as arguments or elements, where the second one is Chinese. */
export function textsIn(file: string, source: string): [en: string, zh: string][] {
  const pairs: [string, string][] = [];
  const sideBySide = (nodes: readonly (Node | null)[]) => {
    for (const [index, node] of nodes.entries()) {
      const [en, zh] = [stringOf(node), stringOf(nodes[index + 1])];
      if (en !== undefined && zh !== undefined && HAN.test(zh) && !HAN.test(en)) pairs.push([en, zh]);
    }
  };
  new Visitor({
    ObjectExpression(object) {
      const values = propertiesOf(object);
      for (const [enKey, zhKey] of KEYS) {
        const [en, zh] = [values.get(enKey), values.get(zhKey)];
        if (en !== undefined && zh !== undefined) pairs.push([en, zh]);
      }
    },
    CallExpression: (call) => sideBySide(call.arguments),
    ArrayExpression: (array) => sideBySide(array.elements),
  }).visit(parseSync(file, source).program);
  return pairs;
}

/** Every text of the product, sorted. Names, which are equal in both languages, are left out. */
export function sourceTexts(root: string): SourceText[] {
  const found = new Map<string, SourceText>();
  for (const file of globSync(SOURCES, { cwd: root }).toSorted()) {
    if (file.includes('.test.')) continue;
    const source = readFileSync(path.join(root, file), 'utf8');
    if (!source.includes('zh') && !HAN.test(source)) continue;
    for (const [en, zh] of textsIn(file, source)) {
      if (en === zh) continue;
      const key = JSON.stringify([en, zh]);
      const text = found.get(key) ?? { en, zh, files: [] };
      if (!text.files.includes(file)) text.files.push(file);
      found.set(key, text);
    }
  }
  return [...found.values()].toSorted((a, b) => (a.en + a.zh < b.en + b.zh ? -1 : 1));
}
