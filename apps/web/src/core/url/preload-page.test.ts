import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { expect, test, vi } from 'vitest';
import { preloadPage, registerPage } from './preload-page.ts';

test('an address loads the code of its page, also with words', () => {
  const [dcus, clocks] = [vi.fn(), vi.fn()];
  registerPage(PAGE_PATH.dcus, dcus);
  registerPage(PAGE_PATH.clocks, clocks);
  preloadPage(`${PAGE_PATH.dcus}?search=1`);
  expect(dcus).toHaveBeenCalledOnce();
  expect(clocks).not.toHaveBeenCalled();
});

test('an address without a page is ignored', () => {
  expect(() => preloadPage('/house')).not.toThrow();
});
