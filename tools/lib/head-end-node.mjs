/**
 * How the head-end's process is run. While meters are read, a nursery of 32 MB drops what lives briefly where a small one moves half of it
 * twice; at rest the head-end gives it back, which only the collector that V8 keeps for itself can do. Few allocation arenas keep less
 * of what was freed.
 */
export const HEAD_END_FLAGS = ['--max-semi-space-size=32', '--expose-gc'];
export const HEAD_END_ENV = { MALLOC_ARENA_MAX: '2' };
