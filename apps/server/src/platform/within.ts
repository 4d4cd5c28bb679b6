/** The result of `work`, or `late` when it takes longer; the work itself goes on. Rejects as `work` does. */
export async function within<T, L>(work: Promise<T>, ms: number, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<L>((resolve) => (timer = setTimeout(() => resolve(late), ms)));
  try {
    return await Promise.race([work, passed]);
  } finally {
    clearTimeout(timer);
  }
}
