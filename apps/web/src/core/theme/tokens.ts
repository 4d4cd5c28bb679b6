/** All colours of the console by theme. Contrast figures: see the design direction, section 5. */
interface Palette {
  hdr: string;
  hdrT: string;
  hdrM: string;
  volt: string;
  canvas: string;
  panel: string;
  raised: string;
  s2: string;
  s3: string;
  /** The chosen segment on a track of colour `s3`: lighter than the track in both themes. */
  chosen: string;
  line: string;
  line2: string;
  ctl: string;
  t1: string;
  t2: string;
  t3: string;
  t4: string;
  primary: string;
  primaryBtn: string;
  psoft: string;
  dangerBtn: string;
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
      hdr: '#0E1823',
      hdrT: '#E4EBF2',
      hdrM: '#A2B1C1',
      volt: '#D3F04A',
      canvas: '#E9EDF1',
      panel: '#FFFFFF',
      raised: '#FFFFFF',
      s2: '#F5F7F9',
      s3: '#ECF1F5',
      chosen: '#FFFFFF',
      line: '#DBE1E8',
      line2: '#C6CFD9',
      ctl: '#788696',
      t1: '#14202C',
      t2: '#465464',
      t3: '#5C6A7B',
      t4: '#97A3B0',
      primary: '#2B4FCF',
      primaryBtn: '#2B4FCF',
      psoft: '#E9EEFC',
      dangerBtn: '#C22835',
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
      hdr: '#070C12',
      hdrT: '#E5ECF3',
      hdrM: '#97A7B8',
      volt: '#D3F04A',
      canvas: '#0A1017',
      panel: '#111922',
      raised: '#17212C',
      s2: '#16202B',
      s3: '#1C2835',
      chosen: '#324252',
      line: '#22303E',
      line2: '#33434F',
      ctl: '#64768A',
      t1: '#E5ECF3',
      t2: '#A8B6C5',
      t3: '#8595A7',
      t4: '#5A6979',
      primary: '#92AAFF',
      primaryBtn: '#4565E6',
      psoft: '#1D2842',
      dangerBtn: '#C9303A',
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

/** CSS custom properties of a theme: `{ '--panel': '#fff', '--ok-fg': … }`. */
export function cssVariables(theme: ThemeName): Record<string, string> {
  const { palette, tones } = THEMES[theme];
  const variables: Record<string, string> = {};
  for (const [name, colour] of Object.entries(palette)) variables[`--${name}`] = colour;
  for (const [name, colours] of Object.entries(tones)) {
    variables[`--${name}-fg`] = colours.fg;
    variables[`--${name}-solid`] = colours.solid;
    variables[`--${name}-soft`] = colours.soft;
  }
  return variables;
}
