/** How the head-end's process is run. It idles most of the day: a small nursery and few allocation arenas keep it a quarter smaller. */
export const HEAD_END_FLAGS = ['--max-semi-space-size=4'];
export const HEAD_END_ENV = { MALLOC_ARENA_MAX: '2' };
