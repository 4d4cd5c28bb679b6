import { ApiError } from '#platform/api-error.ts';

/** More calls for one object at once than programs make. */
const ATTEMPTS = 8;

/** The object appeared, or was changed, after the call had searched it. */
const isOvertaken = (error: unknown): boolean => error instanceof ApiError && (error.code === 'DUPLICATE' || error.code === 'STALE');

/**
 * Runs a call that adds an object by its number or changes it, again if another call for the object was faster: the one that ends last counts,
 * as it would if they had come one after another.
 */
export async function putObject<T>(put: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await put();
    } catch (error) {
      if (attempt === ATTEMPTS || !isOvertaken(error)) throw error;
    }
}
