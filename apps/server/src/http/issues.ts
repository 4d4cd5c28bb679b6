import type { Locale } from '@hes/contract/core/text.ts';
import { z } from 'zod';
import { ApiError, type FieldIssue } from '#platform/api-error.ts';

const LANGUAGE = { 'en-US': z.locales.en().localeError, 'zh-CN': z.locales.zhCN().localeError };

/** Sentences of the contract's own rules; everything else is said by zod in both languages. */
const OWN_RULES: Record<string, string> = {
  'Please Select Data!': '请选择数据！',
  'A first and a last day are needed': '请选择开始日期和结束日期',
};

function inLanguage(message: string, locale: Locale): string {
  return locale === 'zh-CN' ? (OWN_RULES[message] ?? message) : message;
}

/** The value after the schema. Fails with `VALIDATION` and one issue per field. */
export function parse<S extends z.ZodType>(schema: S, value: unknown, locale: Locale): z.output<S> {
  const result = schema.safeParse(value, { error: LANGUAGE[locale] });
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue): FieldIssue => ({
    field: issue.path.join('.'),
    message: inLanguage(issue.message, locale),
  }));
  throw new ApiError('VALIDATION', {}, issues);
}
