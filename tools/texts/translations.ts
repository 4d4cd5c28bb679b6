import { readFileSync, writeFileSync } from 'node:fs';
import { SPOKEN_SENTENCES } from '@hes/contract/asset/spoken.ts';
import type { Catalogue } from '@hes/contract/core/text.ts';
import { sourceTexts } from './source-texts.ts';

/**
 * `npm run translations es` removes entries without a text from the catalogue, sorts it, and prints the texts that it lacks as entries to fill
 * in. Exits with 1 if there are any.
 */
const [language = 'es'] = process.argv.slice(2);
const file = `packages/contract/src/languages/${language}.json`;
const texts = [...sourceTexts(process.cwd()).map(({ en, zh }) => ({ en, zh })), ...SPOKEN_SENTENCES];
const old = JSON.parse(readFileSync(file, 'utf8')) as Catalogue; // as: the file is a catalogue, as its test proves

const kept: Record<string, string | Record<string, string>> = {};
const missing: { en: string; zh: string }[] = [];
for (const [en, versions] of Map.groupBy(texts, (text) => text.en)) {
  const found = Object.hasOwn(old, en) ? old[en] : undefined;
  if (typeof found === 'string') kept[en] = found;
  else {
    const translated = versions.filter(({ zh }) => found?.[zh] !== undefined);
    missing.push(...versions.filter((version) => !translated.includes(version)).map(({ zh }) => ({ en, zh })));
    if (translated.length > 0) kept[en] = Object.fromEntries(translated.map(({ zh }) => [zh, found?.[zh] ?? '']));
  }
}

const sorted = Object.fromEntries(Object.entries(kept).toSorted(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
for (const { en, zh } of missing) console.log(`${JSON.stringify(en)}: "", // ${zh}`);
console.log(`${language}: ${Object.keys(sorted).length} entries, ${missing.length} missing`);
process.exitCode = missing.length > 0 ? 1 : 0;
