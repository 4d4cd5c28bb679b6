import { App, ConfigProvider } from 'antd';
import enUS from 'antd/locale/en_US';
import zhCN from 'antd/locale/zh_CN';
import dayjs from 'dayjs';
import 'dayjs/locale/zh-cn';
import type { ReactNode } from 'react';
import { antdThemeOf } from './antd-theme.ts';
import { usePreferences } from './preferences.ts';
import { useScale } from './scale.ts';
import type { ThemeName } from './tokens.ts';

/** The text floor changes in steps, so that the theme object changes rarely. */
const BOOST_STEP = 0.1;
const looks = new Map<string, ReturnType<typeof antdThemeOf>>();

/** One object for all who look alike: styles are worked out once for each. */
function lookOf(theme: ThemeName, boost: number): ReturnType<typeof antdThemeOf> {
  const key = `${theme} ${boost}`;
  const look = looks.get(key) ?? antdThemeOf(theme, boost, matchMedia('(prefers-reduced-motion: reduce)').matches);
  looks.set(key, look);
  return look;
}

/** What the component library needs around it. It comes with the first part that is made of the library. */
export function Controls({ children }: { children: ReactNode }) {
  const { theme, locale } = usePreferences();
  dayjs.locale(locale === 'zh-CN' ? 'zh-cn' : 'en');
  const boost = useScale((state) => Math.ceil(state.boost / BOOST_STEP) * BOOST_STEP);
  return (
    <ConfigProvider theme={lookOf(theme, boost)} locale={locale === 'zh-CN' ? zhCN : enUS} button={{ autoInsertSpace: false }}>
      <App component={false}>{children}</App>
    </ConfigProvider>
  );
}
