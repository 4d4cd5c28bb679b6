import type { Route } from '@hes/contract/core/route.ts';
import type { Text, TextParams } from '@hes/contract/core/text.ts';
import { Checkbox, Select } from 'antd';
import type { ComponentType, ReactNode } from 'react';
import { useMay } from '#core/api/may.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { TextFilter } from './text-filter.tsx';

/** The page state in the address, by key. */
export type UrlWords = Readonly<Record<string, string | undefined>>;

export interface FilterProps {
  url: UrlWords;
  onChange: (change: UrlWords) => void;
}

/** A filter of a list: its keys in the address, the parts of the query that follow from them, and its control. */
export interface Filter<Query> {
  keys: readonly string[];
  toQuery: (url: UrlWords) => Query;
  /** The list is one of this object: the filter stays when filters are cleared. */
  isScope?: boolean;
  /** Why the list cannot be read with this filter. */
  fault?: (url: UrlWords) => Text | undefined;
  /** Without a control the filter is set by links only. */
  Control?: ComponentType<FilterProps>;
}

type Part<K extends string, V> = { [P in K]?: V };
const part = <K extends string, V>(key: K, value: V | undefined): Part<K, V> => (value === undefined ? {} : { [key]: value }) as Part<K, V>; // as: the one key of the type

/** A filter by text. */
export function textFilter<const K extends string>(
  key: K,
  label: Text,
  options: { width?: number; accepts?: RegExp } = {},
): Filter<Part<K, string>> {
  const Control = ({ url, onChange }: FilterProps) => {
    const say = useSay();
    return <TextFilter label={say(label)} value={url[key]} onChange={(value) => onChange({ [key]: value })} {...options} />;
  };
  return { keys: [key], toQuery: (url) => part(key, url[key]), Control };
}

interface Option {
  value: string;
  label: ReactNode;
}

interface ChoiceProps extends FilterProps {
  name: string;
  label: Text;
  width?: number;
  options: readonly Option[];
  value: string | undefined;
  /** The choice has a search field; its labels must be text. */
  searchable?: boolean;
}

function Choice({ name, label, width = CHOICE_WIDTH, options, value, searchable = false, onChange }: ChoiceProps) {
  const say = useSay();
  return (
    <Select
      allowClear
      style={{ width }}
      placeholder={say(label)}
      aria-label={say(label)}
      value={value}
      options={[...options]}
      {...(searchable ? { showSearch: { optionFilterProp: 'label' } } : {})}
      onChange={(next: string | undefined) => onChange({ [name]: next })}
    />
  );
}

const CHOICE_WIDTH = 160;

/** A filter by one of fixed words, which the server knows by the same words. Other words in the address are ignored. */
export function choiceFilter<const K extends string, const V extends string>(
  key: K,
  label: Text,
  words: readonly V[],
  { textOf, markOf, ...options }: { textOf: (word: V) => Text; markOf?: (word: V) => ReactNode; width?: number; searchable?: boolean },
): Filter<Part<K, V>> {
  const wordIn = (url: UrlWords): V | undefined => words.find((word) => word === url[key]);
  const Control = (props: FilterProps) => {
    const say = useSay();
    const choices = words.map((value) => ({ value, label: markOf?.(value) ?? say(textOf(value)) }));
    return <Choice {...props} {...options} name={key} label={label} options={choices} value={wordIn(props.url)} />;
  };
  return { keys: [key], toQuery: (url) => part(key, wordIn(url)), Control };
}

/** The same for the words of a table of texts. */
export const wordFilter = <const K extends string, V extends string>(
  key: K,
  label: Text,
  table: Readonly<Record<V, Text>>,
  options: { width?: number; searchable?: boolean } = {},
): Filter<Part<K, V>> => choiceFilter(key, label, Object.keys(table) as V[], { ...options, textOf: (word) => table[word] }); // as: keys of that very table

/** A filter by a property that a row has or has not. */
export const yesNoFilter = <const K extends string>(
  key: K,
  label: Text,
  { yes, no, ...options }: { yes: Text; no: Text; width?: number },
): Filter<Part<K, 'true' | 'false'>> =>
  choiceFilter(key, label, ['true', 'false'], { ...options, textOf: (word) => (word === 'true' ? yes : no) });

const useNoParams = (): TextParams => ({});

/** A check box that restricts the list to rows with a property. Its label may have parameters, such as the number of these rows. */
export const flagFilter = <const K extends string>(
  key: K,
  label: Text,
  useParams: (url: UrlWords) => TextParams = useNoParams,
): Filter<Part<K, 'true'>> => ({
  keys: [key],
  toQuery: (url) => part(key, url[key] === 'true' ? 'true' : undefined),
  Control: function Flag({ url, onChange }: FilterProps) {
    const say = useSay();
    const params = useParams(url);
    return (
      <Checkbox checked={url[key] === 'true'} onChange={(event) => onChange({ [key]: event.target.checked ? 'true' : undefined })}>
        {say(label, params)}
      </Checkbox>
    );
  },
});

/** A filter by an object, such as a type or a role; the options are read from the server. Not offered without the right to read them. */
export function objectFilter<const K extends string>(
  key: K,
  label: Text,
  { useOptions, right, ...options }: { useOptions: () => readonly Option[]; right?: Pick<Route, 'allow'>; width?: number },
): Filter<Part<K, string>> {
  const Offered = (props: FilterProps) => (
    <Choice {...props} {...options} searchable name={key} label={label} options={useOptions()} value={props.url[key]} />
  );
  const Control = (props: FilterProps) => {
    const may = useMay();
    return right === undefined || may(right) ? <Offered {...props} /> : null;
  };
  return { keys: [key], toQuery: (url) => part(key, url[key]), Control };
}

/** A filter that the server does not know: the browser applies it to a whole list. */
export const inBrowser = (filter: Filter<unknown>): Filter<undefined> => ({ ...filter, toQuery: () => undefined });

/** A filter that only links set; the list shows that it is filtered. */
export const linkFilter = <const K extends string>(key: K): Filter<Part<K, string>> => ({
  keys: [key],
  toQuery: (url) => part(key, url[key]),
});

/** The object whose rows the list has, such as a DCU; links and the page set it. */
export const scopeFilter = <const K extends string>(key: K): Filter<Part<K, string>> => ({ ...linkFilter(key), isScope: true });
