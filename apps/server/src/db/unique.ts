import type { Text } from '@hes/contract/core/text.ts';
import { ApiError } from '#platform/api-error.ts';

const UNIQUE_VIOLATION = '23505';

/** A form field with the label that its error shows. */
export interface UniqueField {
  field: string;
  label: Text;
  value: string;
}

/** Awaits a write and maps a violation of a unique index to the error `DUPLICATE` of the field. */
export async function refuseDuplicate<T>(unique: UniqueField, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION)) throw error;
    throw new ApiError('DUPLICATE', { field: unique.label, value: unique.value }, unique.field);
  }
}

/** The same for several unique fields, distinguished by the violated index. */
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
