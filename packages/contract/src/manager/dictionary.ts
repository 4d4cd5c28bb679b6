import { z } from 'zod';
import { route } from '../core/route.ts';
import { DICTIONARY_SETS } from '../text/dictionary.ts';

export const dictionarySet = z.enum(DICTIONARY_SETS);

const words = z.object({ set: dictionarySet, items: z.array(z.object({ key: z.string(), en: z.string(), zh: z.string() })) });

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
