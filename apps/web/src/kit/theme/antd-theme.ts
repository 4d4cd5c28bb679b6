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
  const danger = name === 'dark' ? tones.red.solid : palette.dangerButton;
  const base = name === 'dark' ? antdTheme.darkAlgorithm : antdTheme.defaultAlgorithm;
  const fontSize = Math.round(Math.min(14 * Math.max(1, textBoost * 0.97), 17));
  return {
    cssVar: { key: 'hes' },
    algorithm: [
      base,
      (seed, map) => ({
        ...(map ?? base(seed)),
        colorPrimary: palette.primaryButton,
        colorPrimaryHover: palette.primaryButton,
        colorPrimaryActive: palette.primaryButton,
        colorPrimaryText: palette.primary,
        colorPrimaryBg: palette.primarySoft,
        colorPrimaryBgHover: palette.primarySoft,
        colorPrimaryBorder: palette.primary,
        colorLink: palette.primary,
        colorLinkHover: palette.primary,
        colorError: danger,
        colorErrorText: tones.red.fg,
        colorSuccess: tones.ok.solid,
        colorSuccessText: tones.ok.fg,
        colorSuccessBg: tones.ok.soft,
        colorSuccessBorder: tones.ok.solid,
        colorWarning: tones.amber.solid,
        colorWarningText: tones.amber.fg,
        colorWarningBg: tones.amber.soft,
        colorWarningBorder: tones.amber.solid,
        colorInfo: tones.run.solid,
        colorInfoText: tones.run.fg,
        colorInfoBg: tones.run.soft,
        colorInfoBorder: tones.run.solid,
        colorBgBase: palette.surface,
        colorBgContainer: palette.surface,
        colorBgElevated: palette.surfaceRaised,
        colorBgLayout: palette.canvas,
        colorBorder: palette.lineStrong,
        colorBorderSecondary: palette.line,
        colorText: palette.text,
        colorTextSecondary: palette.textSecondary,
        colorTextTertiary: palette.textMuted,
        colorTextQuaternary: palette.textFaint,
        colorTextPlaceholder: palette.textMuted,
        colorFillAlter: palette.surface2,
      }),
    ],
    token: {
      colorPrimary: palette.primaryButton,
      colorError: danger,
      fontFamily: FONT,
      fontFamilyCode: MONO,
      fontSize,
      colorTextPlaceholder: palette.textMuted,
      borderRadius: 4,
      borderRadiusLG: 8,
      controlHeight: 32,
      motion: !still,
      motionDurationMid: '0.12s',
      motionDurationSlow: '0.16s',
    },
    components: {
      Tree: { nodeSelectedBg: palette.primarySoft, nodeHoverBg: palette.surface3, titleHeight: 26, indentSize: 12 },
      Tabs: {
        itemSelectedColor: palette.primary,
        itemHoverColor: palette.primary,
        inkBarColor: palette.primary,
        // Space for the focus outline, which the tab bar would clip.
        horizontalItemPadding: '8px 4px',
      },
      Pagination: { itemActiveColor: palette.primary, itemActiveColorHover: palette.primary },
      Segmented: { trackBg: palette.surface3, itemSelectedBg: palette.surfaceChosen, itemColor: palette.textSecondary },
      Button: { primaryShadow: 'none', defaultShadow: 'none', dangerShadow: 'none', fontWeight: 500 },
      Checkbox: { colorBorder: palette.controlBorder },
      Radio: { colorBorder: palette.controlBorder },
      Input: { activeShadow: 'none' },
      Menu: { itemSelectedBg: palette.primarySoft },
    },
  };
}
