/** All colours of the console by theme. Contrast figures: see the design direction, section 5. */
interface Palette {
  header: string;
  headerText: string;
  headerTextMuted: string;
  accent: string;
  canvas: string;
  surface: string;
  surfaceRaised: string;
  surface2: string;
  surface3: string;
  /** The chosen segment on a track of colour `surface3`: lighter than the track in both themes. */
  surfaceChosen: string;
  line: string;
  lineStrong: string;
  controlBorder: string;
  text: string;
  textSecondary: string;
  textMuted: string;
  textFaint: string;
  primary: string;
  primaryButton: string;
  primarySoft: string;
  dangerButton: string;
  teal: string;
}

const TONES = ['ok', 'run', 'wait', 'amber', 'orange', 'red', 'none', 'violet'] as const;
export type Tone = (typeof TONES)[number];
export type ThemeName = 'light' | 'dark';

interface ToneColours {
  fg: string;
  solid: string;
  soft: string;
}

export interface ThemeTokens {
  palette: Palette;
  tones: Record<Tone, ToneColours>;
}

const tone = (fg: string, solid: string, soft: string): ToneColours => ({ fg, solid, soft });

export const THEMES: Record<ThemeName, ThemeTokens> = {
  light: {
    palette: {
      header: '#0E1823',
      headerText: '#E4EBF2',
      headerTextMuted: '#A2B1C1',
      accent: '#D3F04A',
      canvas: '#E9EDF1',
      surface: '#FFFFFF',
      surfaceRaised: '#FFFFFF',
      surface2: '#F5F7F9',
      surface3: '#ECF1F5',
      surfaceChosen: '#FFFFFF',
      line: '#DBE1E8',
      lineStrong: '#C6CFD9',
      controlBorder: '#788696',
      text: '#14202C',
      textSecondary: '#465464',
      textMuted: '#5C6A7B',
      textFaint: '#97A3B0',
      primary: '#2B4FCF',
      primaryButton: '#2B4FCF',
      primarySoft: '#E9EEFC',
      dangerButton: '#C22835',
      teal: '#0E8C9B',
    },
    tones: {
      ok: tone('#0A6A56', '#12937B', '#E0F3EE'),
      run: tone('#0A5F93', '#1787C8', '#E1F0FA'),
      wait: tone('#4B5968', '#8795A4', '#EBEFF3'),
      amber: tone('#865700', '#C58600', '#FDF2D7'),
      orange: tone('#A3450A', '#E06C17', '#FDEADB'),
      red: tone('#AF1E2B', '#D62D3A', '#FCE5E7'),
      none: tone('#576573', '#84919E', '#EEF1F4'),
      violet: tone('#6236A8', '#8157C9', '#F0EAFA'),
    },
  },
  dark: {
    palette: {
      header: '#070C12',
      headerText: '#E5ECF3',
      headerTextMuted: '#97A7B8',
      accent: '#D3F04A',
      canvas: '#0A1017',
      surface: '#111922',
      surfaceRaised: '#17212C',
      surface2: '#16202B',
      surface3: '#1C2835',
      surfaceChosen: '#324252',
      line: '#22303E',
      lineStrong: '#33434F',
      controlBorder: '#64768A',
      text: '#E5ECF3',
      textSecondary: '#A8B6C5',
      textMuted: '#8595A7',
      textFaint: '#5A6979',
      primary: '#92AAFF',
      primaryButton: '#4565E6',
      primarySoft: '#1D2842',
      dangerButton: '#C9303A',
      teal: '#3FC3D1',
    },
    tones: {
      ok: tone('#4CCBAA', '#2BAE92', '#15312F'),
      run: tone('#69C1F3', '#3A9FDA', '#172E3F'),
      wait: tone('#A8B6C5', '#748496', '#232D38'),
      amber: tone('#F0BE48', '#DFA52B', '#302D23'),
      orange: tone('#FF9B59', '#EE8034', '#342925'),
      red: tone('#FF8188', '#EE4F58', '#37222B'),
      none: tone('#94A3B4', '#66768A', '#1F2833'),
      violet: tone('#B79AF2', '#9372DB', '#272840'),
    },
  },
};

/** Gaps and paddings are steps of this scale, `--space-1` to `--space-9`. */
export const SPACE_PX = [2, 4, 6, 8, 10, 12, 16, 20, 24] as const;
/** Chips and fields, buttons, panels. */
export const RADIUS_PX = { s: 4, m: 6, l: 8 } as const;

const kebab = (name: string): string => name.replaceAll(/[A-Z]|\d+/g, (part) => `-${part.toLowerCase()}`);

/** CSS custom properties of a theme: `{ '--surface': '#fff', '--ok-fg': …, '--space-1': '2px', … }`. */
export function cssVariables(theme: ThemeName): Record<string, string> {
  const { palette, tones } = THEMES[theme];
  const variables: Record<string, string> = {};
  for (const [name, colour] of Object.entries(palette)) variables[`--${kebab(name)}`] = colour;
  for (const [name, colours] of Object.entries(tones)) {
    variables[`--${name}-fg`] = colours.fg;
    variables[`--${name}-solid`] = colours.solid;
    variables[`--${name}-soft`] = colours.soft;
  }
  for (const [at, px] of SPACE_PX.entries()) variables[`--space-${at + 1}`] = `${px}px`;
  for (const [name, px] of Object.entries(RADIUS_PX)) variables[`--radius-${name}`] = `${px}px`;
  return variables;
}
