/**
 * A condition that is always true. The transaction of the statement it stands in answers before its commit is on disk:
 * for what is simply done again when a crash takes it, such as a lease or a time of last contact. Never for readings,
 * invocation counters, or anything a person was told.
 */
export const RELAXED = "set_config('synchronous_commit', 'off', true) = 'off'";
