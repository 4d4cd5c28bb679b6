import { inEveryLanguage } from '@hes/contract/core/text.ts';
import { dictionary } from '@hes/contract/manager/dictionary.ts';
import { DICTIONARY } from '@hes/contract/text/dictionary.ts';
import { implement } from '#http/implement.ts';

export const dictionaryRoutes = implement(dictionary, {
  get: ({ params: { set } }) => ({ set, items: Object.entries(DICTIONARY[set]).map(([key, text]) => ({ key, ...inEveryLanguage(text) })) }),
});
