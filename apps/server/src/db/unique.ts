import type { Text } from '@hes/contract/core/text.ts';
import { ApiError } from '#platform/api-error.ts';

const UNIQUE_VIOLATION = '23505';

/** A field of a form, as its error names it. */
export interface UniqueField {
  field: string;
  label: Text;
  value: string;
}

/** Runs a write; a value that must be unique and is taken becomes `DUPLICATE` at its field. */
export async function refuseDuplicate<T>(unique: UniqueField, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION)) throw error;
    throw new ApiError('DUPLICATE', { field: unique.label, value: unique.value }, unique.field);
  }
}

/** The same where several fields must be unique: the index that refused says which one it was. */
export async function refuseDuplicates<T>(byIndex: Record<string, UniqueField>, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const index =
      error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION && 'constraint' in error ? error.constraint : '';
    const unique = byIndex[String(index)];
    if (unique === undefined) throw error;
    throw new ApiError('DUPLICATE', { field: unique.label, value: unique.value }, unique.field);
  }
}
