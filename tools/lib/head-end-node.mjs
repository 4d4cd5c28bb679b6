/**
 * Node flags of the head-end. A young generation of 32 MB lets short-lived objects die before they are copied twice while
 * meters are read; an idle head-end returns that memory, which needs an explicit garbage collection. Few allocation arenas
 * retain less freed memory.
 */
export const HEAD_END_FLAGS = ['--max-semi-space-size=32', '--expose-gc'];
export const HEAD_END_ENV = { MALLOC_ARENA_MAX: '2' };
