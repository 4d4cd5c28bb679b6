import type { Setting } from '../../apps/server/src/platform/declared-settings.ts';

const escaped = (text: string): string => text.replaceAll('|', String.raw`\|`);

const capitalized = (text: string): string => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());

function initialOf({ initial, otherwise, unit }: Setting): string {
  if (initial === undefined) return otherwise ?? 'none';
  return `\`${initial}\`${unit === undefined ? '' : ` ${unit}`}`;
}

/** The declared settings as the page for operators. */
export function settingsText(settings: readonly (readonly [name: string, setting: Setting])[]): string {
  return [
    '# Settings',
    '',
    'Written by `npm run golden` from `apps/server/src/platform/declared-settings.ts`.',
    '',
    'A setting is a variable of the environment, or a line `NAME=value` of the file that `HES_CONFIG` names. Each of them may stand in a file of its own, such as a secret that an',
    'orchestrator mounts: `HES_MASTER_KEY_FILE=/run/secrets/master-key` in place of `HES_MASTER_KEY`. An empty value counts as absent. The head-end does not start with a name that it does not know, with a value that',
    'is not permitted, or with settings that contradict each other, and says which one to change.',
    '',
    '| Setting | Without it | Meaning |',
    '|--|--|--|',
    ...settings.map(([name, setting]) => {
      const needs = setting.needs === undefined ? '' : ` Needs ${setting.needs}.`;
      return `| \`${name}\` | ${escaped(initialOf(setting))} | ${escaped(capitalized(setting.text))}${needs} |`;
    }),
    '',
  ].join('\n');
}
