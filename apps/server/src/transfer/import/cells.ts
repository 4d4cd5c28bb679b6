import { YES_NO, inEveryLanguage, type Text } from '@hes/contract/core/text.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import { z } from 'zod';

/** Text of a required cell. */
export const textCell = (max: number) => z.string().min(1, RULES.cellRequired.en).max(max);

/** An empty cell is null, anything else goes through the schema. */
export const optionalCell = <S extends z.ZodType<unknown, string>>(schema: S) =>
  z.union([z.literal('').transform(() => null), schema]) as z.ZodType<z.output<S> | null, string>; // as: the inferred type is equivalent but longer

/** A number, with a decimal point or comma. */
export const numberCell = (schema: z.ZodType<number, number>) =>
  z
    .string()
    .regex(/^[+-]?\d{1,15}([.,]\d{1,9})?$/, RULES.cellNumber.en)
    .transform((text) => Number(text.replace(',', '.')))
    .pipe(schema);

/** One of several choices, written as its code or its label in any language. */
export function choiceCell<const T extends Record<string, Text>>(choices: T): z.ZodType<keyof T & string, string> {
  const byWord = new Map<string, string>();
  for (const [code, label] of Object.entries(choices))
    for (const word of [code, ...Object.values(inEveryLanguage(label))]) byWord.set(word.toLowerCase(), code);
  return z.string().transform((text, context) => {
    const code = byWord.get(text.toLowerCase());
    if (code === undefined) {
      context.addIssue({ code: 'custom', message: RULES.cellChoice.en });
      return z.NEVER;
    }
    return code as keyof T & string; // as: a value of the map is a key of the choices
  });
}

export const yesNoCell = choiceCell(YES_NO).transform((word) => word === 'true');
