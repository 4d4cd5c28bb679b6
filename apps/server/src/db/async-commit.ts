/**
 * A condition that is always true and sets `synchronous_commit = off` for the transaction of its statement, without a round trip. Only for
 * writes that are repeated after a crash, such as leases: never for readings, invocation counters, or results that a user has seen.
 */
export const ASYNC_COMMIT = "set_config('synchronous_commit', 'off', true) = 'off'";
