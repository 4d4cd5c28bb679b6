/** Inputs without text: letters typed there are shortcuts. */
const WITHOUT_TEXT = new Set(['checkbox', 'radio', 'button', 'submit', 'reset']);

/** Whether the event comes from a text field; shortcuts are ignored there. */
export const isTyping = ({ target }: { target: EventTarget | null }): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(?:TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && !WITHOUT_TEXT.has(target.type)));
