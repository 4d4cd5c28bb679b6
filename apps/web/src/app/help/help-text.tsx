import Markdown from 'markdown-to-jsx/react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { isPage } from '#core/url/pages.ts';
import { isTerm } from '#domain/glossary/terms.ts';
import { Term } from './term.tsx';
import styles from './help.module.css';

/** `#freeze` explains a word, a path opens a page of the console. */
function HelpLink({ href = '', children }: { href?: string; children?: ReactNode }) {
  const term = href.slice(1);
  if (href.startsWith('#') && isTerm(term)) return <Term name={term}>{children}</Term>;
  return isPage(href) ? <Link to={href}>{children}</Link> : children;
}

const OPTIONS = { overrides: { a: { component: HelpLink } }, disableParsingRawHTML: true, forceBlock: true, wrapper: 'div' } as const;

/** A text of the help, written in Markdown. */
export function HelpText({ markdown }: { markdown: string }) {
  return (
    <div className={styles['text']}>
      <Markdown options={OPTIONS}>{markdown}</Markdown>
    </div>
  );
}
