import { browserCipher } from './cipher.ts';
import { explain, type Question, type Section } from './explain.ts';
import { SAMPLES } from './samples.ts';
import { element, textOf, treeOf } from './tree.ts';

const HEADINGS: Readonly<Record<Section['name'], string>> = {
  message: 'Message',
  content: 'Message behind the gateway header',
  plaintext: 'Deciphered content',
};
const DELAY_MS = 150;

function field(name: string, label: string, control: HTMLElement): HTMLElement {
  control.id = `decoder-${name}`;
  return element('div', { class: 'decoder-field' }, element('label', { for: control.id }, label), control);
}

const textInput = (placeholder: string): HTMLInputElement =>
  element('input', { type: 'text', spellcheck: 'false', autocomplete: 'off', placeholder }) as HTMLInputElement; // as: the tag says so

/** The page: a form, and the explanation of its message below. */
class Decoder {
  readonly #message = element('textarea', {
    rows: '6',
    spellcheck: 'false',
    placeholder: 'C4 01 C1 00 06 00 00 13 91',
  }) as HTMLTextAreaElement; // as: the tag says so
  readonly #ek = textInput('32 or 64 hexadecimal digits');
  readonly #ak = textInput('32 or 64 hexadecimal digits');
  readonly #title = textInput('16 hexadecimal digits');
  readonly #isData = element('input', { type: 'checkbox' }) as HTMLInputElement; // as: the tag says so
  readonly #status = element('div', { role: 'status', class: 'decoder-status' });
  readonly #result = element('div', { class: 'decoder-result' });
  readonly #copy = element('button', { type: 'button' }, 'Copy as text');
  readonly #link = element('button', { type: 'button' }, 'Copy link');
  readonly #keys: HTMLElement;
  #sections: readonly Section[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Puts the form into the page, with the message of its address. */
  static showIn(root: HTMLElement): Decoder {
    return new Decoder(root);
  }

  private constructor(root: HTMLElement) {
    this.#keys = element(
      'details',
      { class: 'decoder-keys' },
      element('summary', {}, 'Keys, for ciphered messages'),
      element('p', {}, 'Keys stay in this page: they are neither sent nor part of the link.'),
      field('ek', 'Encryption key', this.#ek),
      field('ak', 'Authentication key', this.#ak),
      field('title', 'System title of the sender', this.#title),
    );
    root.replaceChildren(this.#form(), this.#status, this.#result);
    for (const control of [this.#message, this.#ek, this.#ak, this.#title, this.#isData])
      control.addEventListener('input', () => this.#soon());
    this.#copy.addEventListener('click', () => void this.#toClipboard(this.#text(), 'The tree was copied.'));
    this.#link.addEventListener('click', () => void this.#toClipboard(location.href, 'The link was copied.'));
    globalThis.addEventListener('hashchange', () => this.#fromHash());
    this.#fromHash();
  }

  #form(): HTMLElement {
    const samples = SAMPLES.map((sample) => {
      const button = element('button', { type: 'button' }, sample.name);
      button.addEventListener('click', () => this.#show(sample));
      return button;
    });
    const data = field('data', 'One value (Data) instead of a message', this.#isData);
    data.classList.add('decoder-check');
    return element(
      'form',
      { class: 'decoder-form' },
      field('message', 'Message in hex', this.#message),
      element('div', { class: 'decoder-samples' }, element('span', {}, 'Try: '), ...samples),
      data,
      this.#keys,
      element('div', { class: 'decoder-actions' }, this.#copy, this.#link),
    );
  }

  #show({ message, ek = '', ak = '', title = '' }: Partial<Question>): void {
    this.#message.value = message ?? '';
    this.#ek.value = ek;
    this.#ak.value = ak;
    this.#title.value = title;
    this.#isData.checked = false;
    this.#keys.toggleAttribute('open', ek !== '');
    this.#explain();
  }

  #fromHash(): void {
    const given = new URLSearchParams(location.hash.slice(1));
    const message = given.get('hex');
    if (message === null || message === this.#compact()) return this.#explain();
    this.#message.value = message;
    this.#isData.checked = given.get('data') === '1';
    this.#explain();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#explain(), DELAY_MS);
  }

  #compact(): string {
    return this.#message.value.replaceAll(/\s/g, '');
  }

  #explain(): void {
    const question: Question = {
      message: this.#message.value,
      ek: this.#ek.value,
      ak: this.#ak.value,
      title: this.#title.value,
      isData: this.#isData.checked,
    };
    const { sections, fault, hint } = explain(question, browserCipher);
    this.#sections = sections;
    const words = fault ?? hint ?? (sections.length === 0 ? 'Paste a message, or try one of the examples.' : 'Every octet is explained.');
    this.#status.textContent = words;
    this.#status.dataset['kind'] = fault !== undefined ? 'fault' : hint !== undefined ? 'hint' : 'fine';
    this.#result.replaceChildren(...sections.map((section) => this.#section(section)));
    this.#copy.toggleAttribute('disabled', sections.length === 0);
    this.#link.toggleAttribute('disabled', sections.length === 0);
    const hash = this.#compact() === '' ? '' : `#hex=${encodeURIComponent(this.#compact())}${question.isData ? '&data=1' : ''}`;
    if (hash !== location.hash) history.replaceState(null, '', hash === '' ? location.pathname : hash);
  }

  #section(section: Section): HTMLElement {
    const heading = HEADINGS[section.name];
    return element('section', {}, element('h2', {}, `${heading}, ${section.octets.length} octets`), treeOf(section, heading));
  }

  #text(): string {
    return this.#sections.map((section) => `${HEADINGS[section.name]}\n${textOf(section)}`).join('\n\n');
  }

  async #toClipboard(text: string, done: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.#status.textContent = done;
    } catch {
      this.#status.textContent = 'The browser does not allow this page to copy. Select the text, or copy the address of the page.';
    }
  }
}

const root = document.querySelector<HTMLElement>('#decoder');
if (root !== null) Decoder.showIn(root);
