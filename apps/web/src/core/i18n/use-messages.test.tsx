import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { addCatalogue } from '@hes/contract/core/text.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { defineMessages } from './messages.ts';
import { useMessages } from './use-messages.ts';

const texts = defineMessages({
  title: { en: 'Title', zh: '标题' },
  found: { en: '{count} {count|meter|meters} below {node}', zh: '{node}下有 {count} 块电表' },
});

afterEach(() => usePreferences.setState({ locale: 'en-US' }));

test('texts follow the language, and the compiler knows their parameters', () => {
  const { result } = renderHook(() => useMessages(texts));
  const found = () => result.current('found', { count: 1, node: 'T1' });
  expect([result.current('title'), found()]).toEqual(['Title', '1 meter below T1']);
  // @ts-expect-error -- `node` is missing
  expect(result.current('found', { count: 2 })).toBe('2 meters below {node}');
  // @ts-expect-error -- the text has no parameters
  expect(result.current('title', { count: 2 })).toBe('Title');
  act(() => usePreferences.setState({ locale: 'zh-CN' }));
  expect(found()).toBe('T1下有 1 块电表');
  addCatalogue('es', { '{count} {count|meter|meters} below {node}': '{count} {count|contador|contadores} bajo {node}' });
  act(() => usePreferences.setState({ locale: 'es-ES' }));
  expect(found()).toBe('1 contador bajo T1');
});
