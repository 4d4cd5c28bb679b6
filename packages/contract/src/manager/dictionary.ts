import { LANGUAGES, LOCALES, type Language } from '../core/text.ts';
import { z } from 'zod';
import { route } from '../core/route.ts';
import { DICTIONARY_SETS } from '../text/dictionary.ts';

export const dictionarySet = z.enum(DICTIONARY_SETS);

const labels = Object.fromEntries(LOCALES.map((locale) => [LANGUAGES[locale].language, z.string()])) as Record<Language, z.ZodString>; // as: every language has a locale

const words = z.object({ set: dictionarySet, items: z.array(z.object({ key: z.string(), ...labels })) });

export const dictionary = {
  get: route({
    method: 'GET',
    path: '/manager/dictionary/{set}',
    summary: 'Values of an enumeration with their labels, in display order',
    allow: 'signed-in',
    params: z.object({ set: dictionarySet }),
    response: words,
    errors: ['VALIDATION'],
  }),
};
