import { theme as antdTheme, type ThemeConfig } from 'antd';
import { THEMES, type ThemeName } from '#core/theme/tokens.ts';

const FONT = "'IBM Plex Sans', 'Microsoft YaHei UI', 'PingFang SC', 'Noto Sans CJK SC', system-ui, sans-serif";
const MONO = "'IBM Plex Mono', 'Noto Sans Mono CJK SC', ui-monospace, monospace";

/**
 * Ant Design theme from the console's tokens. The second algorithm restores colours that `darkAlgorithm` would shift below the required
 * contrast.
 */
export function antdThemeOf(name: ThemeName, textBoost: number, still: boolean): ThemeConfig {
  const { palette, tones } = THEMES[name];
  // On dark ground, red text and borders need the brighter red for contrast.
  const danger = name === 'dark' ? tones.red.solid : palette.dangerBtn;
  const base = name === 'dark' ? antdTheme.darkAlgorithm : antdTheme.defaultAlgorithm;
  const fontSize = Math.round(Math.min(14 * Math.max(1, textBoost * 0.97), 17));
  return {
    cssVar: { key: 'hes' },
    algorithm: [
      base,
      (seed, map) => ({
        ...(map ?? base(seed)),
        colorPrimary: palette.primaryBtn,
        colorPrimaryHover: palette.primaryBtn,
        colorPrimaryActive: palette.primaryBtn,
        colorPrimaryText: palette.primary,
        colorPrimaryBg: palette.psoft,
        colorPrimaryBgHover: palette.psoft,
        colorPrimaryBorder: palette.primary,
        colorLink: palette.primary,
        colorLinkHover: palette.primary,
        colorError: danger,
        colorErrorText: tones.red.fg,
        colorBgBase: palette.panel,
        colorBgContainer: palette.panel,
        colorBgElevated: palette.raised,
        colorBgLayout: palette.canvas,
        colorBorder: palette.line2,
        colorBorderSecondary: palette.line,
        colorText: palette.t1,
        colorTextSecondary: palette.t2,
        colorTextTertiary: palette.t3,
        colorTextQuaternary: palette.t4,
        colorTextPlaceholder: palette.t3,
        colorFillAlter: palette.s2,
      }),
    ],
    token: {
      colorPrimary: palette.primaryBtn,
      colorError: danger,
      fontFamily: FONT,
      fontFamilyCode: MONO,
      fontSize,
      colorTextPlaceholder: palette.t3,
      borderRadius: 4,
      borderRadiusLG: 8,
      controlHeight: 32,
      motion: !still,
      motionDurationMid: '0.12s',
      motionDurationSlow: '0.16s',
    },
    components: {
      Tree: { nodeSelectedBg: palette.psoft, nodeHoverBg: palette.s3, titleHeight: 26, indentSize: 16 },
      Tabs: {
        itemSelectedColor: palette.primary,
        itemHoverColor: palette.primary,
        inkBarColor: palette.primary,
        // Space for the focus outline, which the tab bar would clip.
        horizontalItemPadding: '8px 4px',
      },
      Pagination: { itemActiveColor: palette.primary, itemActiveColorHover: palette.primary },
      Segmented: { trackBg: palette.s3, itemSelectedBg: palette.chosen, itemColor: palette.t2 },
      Button: { primaryShadow: 'none', defaultShadow: 'none', dangerShadow: 'none', fontWeight: 500 },
      Checkbox: { colorBorder: palette.ctl },
      Radio: { colorBorder: palette.ctl },
      Input: { activeShadow: 'none' },
      Menu: { itemSelectedBg: palette.psoft },
    },
  };
}
