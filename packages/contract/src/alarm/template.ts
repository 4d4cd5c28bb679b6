/** Values that a template of a webhook may contain as `{{name}}`. */
export const PLACEHOLDERS = ['title', 'text', 'level', 'rule', 'code', 'meters', 'since', 'link', 'recipient', 'messageId'] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

const PLACE = /\{\{\s*(\w+)\s*\}\}/g;
const isPlaceholder = (name: string): name is Placeholder => PLACEHOLDERS.some((known) => known === name);

/** Applies `change` to every string of a JSON value, including the names of fields. */
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((part) => mapStrings(part, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [change(name), mapStrings(part, change)]));
}

/** Why a template cannot be used; undefined: it can. */
export function templateFault(template: string): 'not_json' | 'unknown_placeholder' | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(template);
  } catch {
    return 'not_json';
  }
  if (typeof parsed !== 'object' || parsed === null) return 'not_json';
  let isKnown = true;
  mapStrings(parsed, (text) => {
    for (const [, name = ''] of text.matchAll(PLACE)) isKnown &&= isPlaceholder(name);
    return text;
  });
  return isKnown ? undefined : 'unknown_placeholder';
}

/**
 * Whether each recipient gets a message of its own. Braces may be written as escapes of JSON, so the strings decide. An empty template names
 * none.
 */
export function namesRecipient(template: string): boolean {
  if (template === '') return false;
  let isNamed = false;
  mapStrings(JSON.parse(template), (text) => {
    for (const [, name] of text.matchAll(PLACE)) isNamed ||= name === 'recipient';
    return text;
  });
  return isNamed;
}

/** The JSON text of a template with its values. A value stays within its string, whatever characters it has. */
export const fillTemplate = (template: string, values: Readonly<Record<Placeholder, string>>): string =>
  JSON.stringify(
    mapStrings(JSON.parse(template), (text) =>
      text.replaceAll(PLACE, (whole, name: string) => (isPlaceholder(name) ? values[name] : whole)),
    ),
  );

/** Templates that a form offers. */
export const TEMPLATES = {
  teams: JSON.stringify(
    {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              { type: 'TextBlock', size: 'Medium', weight: 'Bolder', wrap: true, text: '{{title}}' },
              { type: 'TextBlock', wrap: true, text: '{{text}}' },
            ],
            actions: [{ type: 'Action.OpenUrl', title: 'HES', url: '{{link}}' }],
          },
        },
      ],
    },
    undefined,
    2,
  ),
  slack: JSON.stringify({ text: '*{{title}}*\n{{text}}\n{{link}}' }, undefined, 2),
  sms: JSON.stringify({ to: '{{recipient}}', text: '{{title}} {{link}}', reference: '{{messageId}}' }, undefined, 2),
} as const;
