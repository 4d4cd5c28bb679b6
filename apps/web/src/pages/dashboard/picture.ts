const SVG = 'http://www.w3.org/2000/svg';
const SHARPNESS = 2;

/** A copy that looks the same outside of the page: computed styles inlined, canvases as images. */
function frozen(node: Element): Element {
  const copy = node.cloneNode(false) as Element; // as: a clone is of the same kind
  if (node instanceof HTMLCanvasElement) {
    const image = document.createElement('img');
    image.src = node.toDataURL();
    copy.replaceWith(image);
    image.style.cssText = styleOf(node);
    return image;
  }
  if (copy instanceof HTMLElement || copy instanceof SVGElement) copy.style.cssText = styleOf(node);
  for (const child of node.childNodes) {
    if (child instanceof Element) {
      if (!child.hasAttribute('data-not-in-picture')) copy.append(frozen(child));
    } else copy.append(child.cloneNode());
  }
  return copy;
}

function styleOf(node: Element): string {
  const computed = getComputedStyle(node);
  return Array.from(computed, (name) => `${name}:${computed.getPropertyValue(name)}`).join(';');
}

/** An element rendered as PNG; undefined when the browser refuses. */
export async function pictureOf(element: HTMLElement): Promise<Blob | undefined> {
  const { offsetWidth: width, offsetHeight: height } = element;
  const copy = frozen(element);
  if (copy instanceof HTMLElement) copy.style.margin = '0';
  const svg = document.createElementNS(SVG, 'svg');
  const frame = document.createElementNS(SVG, 'foreignObject');
  for (const target of [svg, frame]) {
    target.setAttribute('width', String(width));
    target.setAttribute('height', String(height));
  }
  frame.append(copy);
  svg.append(frame);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width * SHARPNESS;
  canvas.height = height * SHARPNESS;
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.scale(SHARPNESS, SHARPNESS);
  context.drawImage(image, 0, 0);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/png'));
}
