const DOC_COMMENT = /\/\*\*(.*?)\*\//gs;
/** Names of variables, then what they mean. */
const SETTING = /^([A-Z][A-Z_]+(?: and [A-Z][A-Z_]+)*): (.+)$/;

/** The doc comments of config.ts as the table for operators, which keeps both equal. */
export function settingsText(source: string): string {
  const comments = [...source.matchAll(DOC_COMMENT)].map(([, comment = '']) => comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim());
  const rows = comments.flatMap((comment) => {
    const [, names, meaning] = SETTING.exec(comment) ?? [];
    if (names === undefined || meaning === undefined) return [];
    const variables = names.split(' and ').map((name) => `\`${name}\``);
    return [`| ${variables.join(', ')} | ${meaning.replaceAll('|', String.raw`\|`)} |`];
  });
  return [
    '# Settings',
    '',
    'Environment variables. Written by `npm run golden` from `apps/server/src/platform/config.ts`, the only file that reads them.',
    '',
    '| Variable | Meaning |',
    '|--|--|',
    ...rows,
    '',
  ].join('\n');
}
