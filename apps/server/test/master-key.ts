/** Of every test. */
export const TEST_MASTER_KEY = Buffer.alloc(32, 7);
