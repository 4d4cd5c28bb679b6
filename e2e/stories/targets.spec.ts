import { expect, test, type Page } from '@playwright/test';
import { setUpSmallFleet } from '../support/small-fleet.ts';

const fleet = setUpSmallFleet();
test.describe.configure({ timeout: 240_000 });

/** One page of each kind: list, tree with a table, live operation, analysis, topology, steps, administration, overview. */
const TEMPLATES = [
  'dashboard',
  'assets/dcu',
  'assets/archives-dispatch',
  'action/on-demand-reading',
  'meter-management/mdms/electric-bill',
  'meter-management/network/network-topology',
  'system/upgrade/firmware-upgrade?tab=new',
  'system/system-management/user-management',
];

/** Targets below 24 by 24 pixels of the design with another target too close, by the rule of WCAG 2.5.8: a circle around each small one. */
const smallTargets = (page: Page) =>
  page.evaluate(() => {
    const LEAST_PX = 24;
    const k = innerWidth / 1920;
    const SELECTOR =
      'button, a[href], input, textarea, [role="button"], [role="tab"], [role="checkbox"], [role="radio"], [role="switch"], [role="slider"]';
    const boxes = [...document.querySelectorAll(SELECTOR)]
      .map((own) => {
        // A check box is pressed by its label, an input by its frame.
        const pressed = own.closest('label, .ant-select, .ant-picker, .ant-input-affix-wrapper, .ant-segmented-item') ?? own;
        const { left, top, width, height } = pressed.getBoundingClientRect();
        return { own, pressed, left: left / k, top: top / k, width: width / k, height: height / k };
      })
      .filter(
        ({ own, width, height, left, top }) =>
          width > 1 && height > 1 && left >= 0 && top >= 0 && own.checkVisibility({ visibilityProperty: true }),
      )
      // A link in a sentence is as high as its line.
      .filter(({ own }) => !(own.nodeName === 'A' && getComputedStyle(own).display === 'inline'));
    const distinct = [...new Map(boxes.map((box) => [box.pressed, box])).values()];
    const isSmall = ({ width, height }: { width: number; height: number }) => Math.min(width, height) < LEAST_PX - 0.5;
    const middleOf = (box: (typeof distinct)[number]) => [box.left + box.width / 2, box.top + box.height / 2] as const;
    return distinct.filter(isSmall).flatMap((box) => {
      const [x, y] = middleOf(box);
      const near = distinct.find((other) => {
        if (other === box || other.pressed.contains(box.pressed) || box.pressed.contains(other.pressed)) return false;
        if (isSmall(other)) return Math.hypot(middleOf(other)[0] - x, middleOf(other)[1] - y) < LEAST_PX - 0.5;
        const dx = Math.max(other.left - x, 0, x - other.left - other.width);
        const dy = Math.max(other.top - y, 0, y - other.top - other.height);
        return Math.hypot(dx, dy) < LEAST_PX / 2 - 0.5;
      });
      const size = `${Math.round(box.width)}×${Math.round(box.height)}`;
      return near ? [`${size} ${box.own.outerHTML.slice(0, 140)} next to ${near.own.outerHTML.slice(0, 100)}`] : [];
    });
  });

test('targets are large enough or spaced apart, on pages of every kind', async ({ browser }) => {
  const small: string[] = [];
  for (const path of TEMPLATES) {
    const page = await fleet.open(browser, path);
    small.push(...(await smallTargets(page)).map((found) => `${path}: ${found}`));
    await page.close();
  }
  expect(small).toEqual([]);
});
