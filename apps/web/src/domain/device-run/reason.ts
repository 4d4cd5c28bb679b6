import { reasonText } from '@hes/contract/core/outcome.ts';
import type { Text } from '@hes/contract/core/text.ts';

/** The text for a reason code, with the details of the device. */
export function reasonOf(say: (text: Text) => string, code: string | null, text?: string | null): string | undefined {
  if (code === null) return undefined;
  const name = reasonText(code);
  const known = name === undefined ? code : say(name);
  return text ? `${known}: ${text}` : known;
}
