import type { Page } from '@playwright/test';

/** Share of each side of a ring that must be visible: a neighbour may touch it. */
const SEEN_SHARE = 0.6;
/** Share of a ring that must differ from the same place without it: an existing line does not count. */
const NEW_SHARE = 0.5;
const LEAST_PX = 2;
/** Margin around the ring, which keeps its edge inside the picture. */
const MARGIN_PX = 4;
/** Attempts: a ring that moved while it was measured, for example next to a clock, is measured again. */
const LOOKS = 5;
const WITHOUT_RINGS = 'data-without-rings';

interface Ring {
  html: string;
  colour: string;
  /** Middle line of the outline, in pixels of the window. */
  left: number;
  top: number;
  width: number;
  height: number;
  radius: number;
}

/** Expected place of the focus outline: the element itself, the field around it, or the drawn replacement. */
const ringOf = (page: Page): Promise<Ring | string | null> =>
  page.evaluate((leastPx) => {
    // Ends the transitions of field outlines.
    for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish();
    const own = document.activeElement;
    if (!own || own === document.body) return null;
    const html = own.outerHTML.slice(0, 160);
    const field = own.closest('label, .ant-select, .ant-picker, .ant-input-affix-wrapper, .ant-input-number, .ant-tree');
    // Our inputs have no frame: the parent is the field.
    const frame = own.matches('input') ? own.parentElement : null;
    const drawnAs = [own, field, frame, own.nextElementSibling, own.firstElementChild, ...(field?.children ?? [])];
    const k = innerWidth / 1920;
    // A map draws its ring above its layers.
    const looks = drawnAs.flatMap((one) => (one ? [{ one, style: getComputedStyle(one) }] : []));
    looks.push({ one: own, style: getComputedStyle(own, '::after') });
    for (const { one, style } of looks) {
      if (!one.checkVisibility({ opacityProperty: true })) continue;
      if (style.outlineStyle === 'none' || Number.parseFloat(style.outlineWidth) < leastPx) continue;
      const { left, top, width, height } = one.getBoundingClientRect();
      const out = (Number.parseFloat(style.outlineOffset) + Number.parseFloat(style.outlineWidth) / 2) * k;
      const corner = style.borderTopLeftRadius.endsWith('%') ? width / 2 : Number.parseFloat(style.borderTopLeftRadius) * k;
      const radius = Math.max(0, Math.min(corner, width / 2, height / 2) + (corner > 0 ? out : 0));
      return {
        html,
        colour: style.outlineColor,
        left: left - out,
        top: top - out,
        width: width + 2 * out,
        height: height + 2 * out,
        radius,
      };
    }
    return `no outline: ${html}`;
  }, LEAST_PX);

/** Compares the window area with and without rings: the visible share of each side, and the share that is due to the ring. */
async function compared(page: Page, ring: Ring): Promise<{ sides: number[]; isNew: number }> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  const x = Math.max(0, Math.floor(ring.left) - MARGIN_PX);
  const y = Math.max(0, Math.floor(ring.top) - MARGIN_PX);
  const clip = {
    x,
    y,
    width: Math.min(width, Math.ceil(ring.left + ring.width) + MARGIN_PX) - x,
    height: Math.min(height, Math.ceil(ring.top + ring.height) + MARGIN_PX) - y,
  };
  if (clip.width < 1 || clip.height < 1) return { sides: [0, 0, 0, 0], isNew: 0 };
  const picture = async () => (await page.screenshot({ clip, animations: 'disabled' })).toString('base64');
  const toggle = () => page.evaluate((name) => void document.documentElement.toggleAttribute(name), WITHOUT_RINGS);
  const ringed = await picture();
  await toggle();
  const plain = await picture();
  await toggle();
  return page.evaluate(
    async ({ pictures, box, colour }) => {
      const pixelsOf = async (base64: string) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0);
        const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        context?.drawImage(bitmap, 0, 0);
        return context?.getImageData(0, 0, bitmap.width, bitmap.height);
      };
      const [one, other] = await Promise.all(pictures.map(pixelsOf));
      if (!one || !other) throw new Error('a picture cannot be read');
      const wanted = (colour.match(/\d+/g) ?? []).map(Number);
      const rgbAt = ({ data, width: across, height: down }: ImageData, px: number, py: number) =>
        px < 0 || py < 0 || px >= across || py >= down ? [] : [...data.subarray((py * across + px) * 4, (py * across + px) * 4 + 3)];
      const isFar = (rgb: number[], from: readonly number[], least: number) =>
        rgb.length < 3 || rgb.some((value, channel) => Math.abs(value - (from[channel] ?? 0)) > least);
      /** Outlines lie on whole pixels, but their middle lines may not. */
      const isAround = ([px, py]: readonly [number, number], holds: (atX: number, atY: number) => boolean) =>
        [-1, 0].some((dx) => [-1, 0].some((dy) => holds(Math.round(px) + dx, Math.round(py) + dy)));
      const isDrawn = (point: readonly [number, number]) => isAround(point, (px, py) => !isFar(rgbAt(one, px, py), wanted, 60));
      const isOnlyThere = (point: readonly [number, number]) =>
        isAround(point, (px, py) => isFar(rgbAt(one, px, py), rgbAt(other, px, py), 24));
      /** Distance of a round corner from the straight line. */
      const dip = (along: number, length: number) => {
        const inCorner = Math.max(0, box.radius - Math.min(along, length - along));
        return box.radius - Math.sqrt(Math.max(0, box.radius ** 2 - inCorner ** 2));
      };
      const points = (length: number, pointAt: (along: number, dip: number) => readonly [number, number]) =>
        Array.from({ length: Math.max(1, Math.floor(length)) }, (_, along) => pointAt(along, dip(along, length)));
      const [right, bottom] = [box.left + box.width, box.top + box.height];
      const sides = [
        points(box.width, (along, inside) => [box.left + along, box.top + inside]),
        points(box.height, (along, inside) => [right - inside, box.top + along]),
        points(box.width, (along, inside) => [box.left + along, bottom - inside]),
        points(box.height, (along, inside) => [box.left + inside, box.top + along]),
      ];
      const share = (side: (readonly [number, number])[], holds: typeof isDrawn) => side.filter(holds).length / side.length;
      return { sides: sides.map((side) => share(side, isDrawn)), isNew: share(sides.flat(), isOnlyThere) };
    },
    { pictures: [ringed, plain], box: { ...ring, left: ring.left - x, top: ring.top - y }, colour: ring.colour },
  );
}

/** Prepares the page so that `unseenFocus` can hide rings temporarily. */
export const watchRings = (page: Page): Promise<unknown> =>
  page.addStyleTag({
    content: `[${WITHOUT_RINGS}] :not(#a#b#c), [${WITHOUT_RINGS}] :not(#a#b#c)::after { outline-color: transparent !important; box-shadow: none !important; }`,
  });

/**
 * Description of the focused element if its focus is not visible: no outline of two pixels, or one side cut or covered.
 * Skips known elements.
 */
export async function unseenFocus(page: Page, known: Set<string>, looks = LOOKS): Promise<string | null> {
  const ring = await ringOf(page);
  if (ring === null || typeof ring === 'string') return ring;
  const key = JSON.stringify(ring);
  if (known.has(key)) return null;
  known.add(key);
  const { sides, isNew } = await compared(page, ring);
  if (isNew >= NEW_SHARE && sides.every((share) => share >= SEEN_SHARE)) return null;
  if (looks > 1 && JSON.stringify(await ringOf(page)) !== key) return unseenFocus(page, known, looks - 1);
  const percents = [...sides, isNew].map((share) => Math.round(share * 100));
  return `seen to ${percents.slice(0, 4).join(', ')} %, new to ${percents[4]} %: ${ring.html}`;
}
