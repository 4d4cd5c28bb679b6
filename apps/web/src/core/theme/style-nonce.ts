/**
 * Adds the CSP nonce of the page to style sheets that are created at run time: some parts of the component library do not pass it on.
 * Sheets within injected markup are created by the parser and get none.
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
