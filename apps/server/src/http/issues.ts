import { pick, type Locale } from '@hes/contract/core/text.ts';
import { ruleBySentence } from '@hes/contract/text/sentences.ts';
import { z } from 'zod';
import { ApiError, type FieldIssue } from '#platform/api-error.ts';

const LANGUAGE: Record<Locale, z.core.$ZodErrorMap> = {
  'en-US': z.locales.en().localeError,
  'zh-CN': z.locales.zhCN().localeError,
  'es-ES': z.locales.es().localeError,
};

function inLanguage(message: string, locale: Locale): string {
  const rule = ruleBySentence.get(message);
  return rule === undefined ? message : pick(rule, locale);
}

/** Parse options with zod's messages in a language. */
export const inWords = (locale: Locale) => ({ error: LANGUAGE[locale] });

/** Message of the first issue. */
export const sentenceOf = (error: z.ZodError, locale: Locale): string => inLanguage(error.issues[0]?.message ?? '', locale);

/** Parses a value. Throws `VALIDATION` with one issue per field. */
export function parse<S extends z.ZodType>(schema: S, value: unknown, locale: Locale): z.output<S> {
  const result = schema.safeParse(value, inWords(locale));
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue): FieldIssue => ({
    field: issue.path.join('.'),
    message: inLanguage(issue.message, locale),
  }));
  throw new ApiError('VALIDATION', {}, issues);
}
