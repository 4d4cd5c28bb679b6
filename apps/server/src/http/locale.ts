import type { Locale } from '@hes/contract/core/text.ts';

/** Chinese if the caller prefers it to English, otherwise English. */
export function localeOf(acceptLanguage: string | undefined): Locale {
  const wishes = (acceptLanguage ?? '').split(',').map((part) => {
    const [tag = '', ...options] = part.trim().toLowerCase().split(';');
    const quality = Number(
      options
        .find((option) => option.trim().startsWith('q='))
        ?.trim()
        .slice(2) ?? 1,
    );
    return { tag, quality };
  });
  const best = wishes.filter(({ tag, quality }) => quality > 0 && /^(en|zh)\b/.test(tag)).toSorted((a, b) => b.quality - a.quality)[0];
  return best?.tag.startsWith('zh') ? 'zh-CN' : 'en-US';
}
