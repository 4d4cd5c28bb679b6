import { Input } from 'antd';
import { useState } from 'react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { GLOSSARY } from '#domain/glossary/terms.ts';
import { messages } from './messages.ts';
import styles from './help.module.css';

/** All words that the console uses in a meaning of its own, searched by word and meaning. */
export function Glossary() {
  const t = useMessages(messages);
  const say = useSay();
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLocaleLowerCase();
  const found = Object.entries(GLOSSARY)
    .map(([name, { word, meaning }]) => ({ name, word: say(word), meaning: say(meaning) }))
    .filter(({ word, meaning }) => `${word} ${meaning}`.toLocaleLowerCase().includes(wanted))
    .toSorted((one, other) => one.word.localeCompare(other.word));
  return (
    <>
      <Input
        allowClear
        value={search}
        placeholder={t('findWord')}
        aria-label={t('findWord')}
        onChange={(event) => setSearch(event.target.value)}
      />
      {found.length === 0 ? <p className={styles['none']}>{t('noWord')}</p> : null}
      <dl className={styles['words']}>
        {found.map(({ name, word, meaning }) => (
          <div key={name}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
