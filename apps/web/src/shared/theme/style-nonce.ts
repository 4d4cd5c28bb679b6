/**
 * Gives the style sheets that this console writes at run time the nonce of the page, which its content policy asks for. Not every part of
 * the component library passes a nonce on; sheets within injected markup are made by the parser, and stay without.
 */
export function allowOwnStyles(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
  if (!nonce) return;
  const create = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
}
