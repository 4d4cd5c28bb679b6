import { level as routes, type LevelRow } from '@hes/contract/asset/level.ts';
import { tree } from '@hes/contract/asset/tree.ts';
import { useQueryClient } from '@tanstack/react-query';
import { levelExport, levelImport } from '@hes/contract/transfer/assets.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { App, Button } from 'antd';
import { CornerDownRight, Plus, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useDrafts, usePageDraft } from '#kit/form/drafts.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ListPage } from '#kit/page/list-page.tsx';
import { useUrl } from '#core/url/use-url.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { ImportButton } from '#kit/import-drawer/import-drawer.tsx';
import { RemoveRecords } from '#kit/dialog/remove-records.tsx';
import { LevelForm } from './level-form.tsx';
import { LevelOverview, LevelTabs } from './level-tabs.tsx';
import { firstOf, peerOf, subordinateOf, type Draft } from './level-tree.ts';
import { texts } from './messages.ts';
import { TreePanel } from './tree-panel.tsx';
import styles from './network.module.css';

const NO_LEVELS: LevelRow[] = [];

export default function Network() {
  const t = useMessages(texts);
  const may = useMay();
  const client = useQueryClient();
  const { message } = App.useApp();
  const [url, setUrl] = useUrl(PAGE_WORDS.network);
  const [draft, setDraft] = usePageDraft<Draft>({ record: 'new-level', title: t('newLevel') });
  // A move changes the version that a form with input is saved against.
  const isTyped = useDrafts().some(({ record }) => record.startsWith('level/'));
  /** The level at the time of the question: a later selection does not change which level is deleted. */
  const [removing, setRemoving] = useState<LevelRow>();
  const list = useApiQuery(routes.list);
  const levels = list.data?.items ?? NO_LEVELS;
  const level = draft ? undefined : levels.find((row) => row.id === url.sel);
  const shown = draft ?? level;

  const reload = () =>
    void client.invalidateQueries({
      predicate: ({ queryKey: [path] }) => [routes.list.path, tree.children.path].some((known) => String(path).startsWith(known)),
    });
  /** A new level must be saved or discarded before the next action; the input of a stored one stays while another is shown. */
  const mayGoOn = () => {
    if (draft) void message.warning(t('saveLevel'));
    return !draft;
  };
  const select = (id: string) => {
    if (id === url.sel || !mayGoOn()) return;
    const chosen = levels.find((row) => row.id === id);
    // @spec seed §8: a node without data
    if (chosen?.dcus === 0 && chosen.meters === 0) void message.info({ key: 'noSn', content: t('noSn') });
    setUrl({ sel: id });
  };
  const add = (begin: (levels: readonly LevelRow[], level: LevelRow) => Draft) => {
    if (!mayGoOn()) return;
    if (!level) void message.warning(t('selectNode'));
    else setDraft(begin(levels, level));
  };
  const needsLevel = (act: () => void) => () => (level || draft ? act() : void message.warning(t('selectLevel')));
  const discard = () => setDraft(undefined);
  const order = useApiMutation(routes.move, {
    success: () => {
      void message.success(t('moved'));
      reload();
    },
    failure: (error) => {
      void message.error(error.message, 0);
      reload();
    },
  });
  const isEmpty = list.data !== undefined && levels.length === 0 && !draft;

  return (
    <ListPage
      title={t('title')}
      purpose={t('purpose')}
      actions={
        <>
          <ExportButton routes={levelExport} filter={{}} />
          <ImportButton lists={[{ routes: levelImport, what: t('levels') }]} onImported={reload} />
          {may(routes.remove) ? (
            <Button danger onClick={needsLevel(() => (draft ? discard() : setRemoving(level)))}>
              {t('remove')}
            </Button>
          ) : null}
          {may(routes.create) ? (
            <>
              <Button icon={<Plus size={15} aria-hidden="true" />} onClick={() => add(peerOf)}>
                {t('addPeer')}
              </Button>
              <Button type="primary" icon={<CornerDownRight size={15} aria-hidden="true" />} onClick={() => add(subordinateOf)}>
                {t('addSubordinate')}
              </Button>
            </>
          ) : null}
        </>
      }
    >
      <div className={styles['page']}>
        <Panel
          title={t('levels')}
          note={levels.length > 0 ? String(levels.length) : undefined}
          extra={
            <Button
              type="text"
              size="small"
              icon={<RotateCw size={14} aria-hidden="true" />}
              aria-label={t('refresh')}
              loading={list.isFetching}
              onClick={reload}
            />
          }
        >
          <PanelState
            query={list}
            lines={10}
            isEmpty={() => isEmpty}
            empty={
              <Empty
                text={t('noLevels')}
                hint={t('noLevelsHint')}
                action={
                  may(routes.create) ? (
                    <Button type="primary" onClick={() => setDraft(firstOf())}>
                      {t('firstLevel')}
                    </Button>
                  ) : undefined
                }
              />
            }
          >
            {() => (
              <TreePanel
                levels={levels}
                draft={draft}
                selected={url.sel}
                mayMove={may(routes.move) && !isTyped}
                onSelect={select}
                onMove={(moved, place) => order.mutate({ params: { id: moved.id }, body: { ...place, version: moved.version } })}
              />
            )}
          </PanelState>
        </Panel>
        <div className={styles['right']}>
          {shown ? (
            <>
              <Panel
                title={draft ? t('newLevel') : (level?.name ?? '')}
                note={draft ? t('unsaved') : level?.isWithin ? level.code : t('beyond')}
              >
                <LevelForm
                  key={level?.id ?? `new-${draft?.parentId}-${draft?.code}`}
                  level={shown}
                  onDiscard={discard}
                  onSaved={(row) => {
                    discard();
                    void message.success(t('saved'));
                    reload();
                    setUrl({ sel: row.id });
                  }}
                />
              </Panel>
              {level ? (
                <Panel flush className={styles['below']} label={t('children')}>
                  <LevelTabs level={level} levels={levels} tab={url.tab} onTab={(tab) => setUrl({ tab })} onSelect={select} />
                </Panel>
              ) : null}
            </>
          ) : (
            <Panel flush={levels.length > 0} className={styles['below']} label={t('levelInfo')} title={t('levels')} note={t('selectHint')}>
              {levels.length > 0 ? <LevelOverview levels={levels} onSelect={select} /> : null}
            </Panel>
          )}
        </div>
      </div>
      {removing ? (
        <RemoveRecords
          route={routes.remove}
          records={[{ id: removing.id, name: `${removing.name} · ${removing.code}` }]}
          effect={t('removeEffect')}
          onClose={() => setRemoving(undefined)}
          onDone={() => {
            setRemoving(undefined);
            setUrl({ sel: removing.parentId ?? undefined });
            reload();
          }}
        />
      ) : null}
    </ListPage>
  );
}
