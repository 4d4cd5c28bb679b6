import type { Locale } from '@hes/contract/core/text.ts';
import { App, ConfigProvider } from 'antd';
import enUS from 'antd/locale/en_US';
import esES from 'antd/locale/es_ES';
import zhCN from 'antd/locale/zh_CN';
import dayjs from 'dayjs';
import 'dayjs/locale/es';
import 'dayjs/locale/zh-cn';
import type { ReactNode } from 'react';
import { antdThemeOf } from './antd-theme.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { useScale } from '#core/theme/scale.ts';
import type { ThemeName } from '#core/theme/tokens.ts';

const CONTROL_TEXTS = { 'en-US': enUS, 'zh-CN': zhCN, 'es-ES': esES } satisfies Record<Locale, unknown>;
const DATE_NAMES: Record<Locale, string> = { 'en-US': 'en', 'zh-CN': 'zh-cn', 'es-ES': 'es' };

/** The text scale is rounded to this step, so that the theme object changes rarely. */
const BOOST_STEP = 0.1;
const looks = new Map<string, ReturnType<typeof antdThemeOf>>();

/** One theme object per theme and scale: Ant Design caches its styles by identity. */
function lookOf(theme: ThemeName, boost: number): ReturnType<typeof antdThemeOf> {
  const key = `${theme} ${boost}`;
  const look = looks.get(key) ?? antdThemeOf(theme, boost, matchMedia('(prefers-reduced-motion: reduce)').matches);
  looks.set(key, look);
  return look;
}

/** The providers that Ant Design needs. They load with the first component that uses it. */
export function Controls({ children }: { children: ReactNode }) {
  const { theme, locale } = usePreferences();
  dayjs.locale(DATE_NAMES[locale]);
  const boost = useScale((state) => Math.ceil(state.boost / BOOST_STEP) * BOOST_STEP);
  return (
    <ConfigProvider theme={lookOf(theme, boost)} locale={CONTROL_TEXTS[locale]} button={{ autoInsertSpace: false }}>
      <App component={false}>{children}</App>
    </ConfigProvider>
  );
}
