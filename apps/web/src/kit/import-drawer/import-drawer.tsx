import type { SheetFormat } from '@hes/contract/core/file.ts';
import { MAX_IMPORT_OCTETS, type ImportPreview, type ImportRoutes } from '@hes/contract/transfer/import.ts';
import { EndlessLine } from '@hes/contract/transfer/split-list.ts';
import { Alert, Button, Drawer, Dropdown, Progress } from 'antd';
import { Download, FileUp, Upload } from 'lucide-react';
import { useRef, useState, type ComponentType } from 'react';
import { call } from '#core/api/client.ts';
import { download } from '#core/files/download.ts';
import { failureText } from '#core/api/errors.ts';
import { useMay } from '#core/api/may.ts';
import { formTexts } from '#kit/form/form.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { saveFile } from '#core/files/download-csv.ts';
import { DropZone } from './drop-zone.tsx';
import { commitInParts, judgeInParts, PartFailed, resultOfParts, type PartsPreview } from './in-parts.ts';
import { messages } from './messages.ts';
import { Preview } from './preview.tsx';
import styles from './import-drawer.module.css';

const texts = { ...common, ...formTexts, ...messages };
const WIDTH = 1080;
/** A larger CSV file is validated and imported in parts. */
const PARTS_ABOVE_OCTETS = 4_000_000;
type Say = ReturnType<typeof useMessages<typeof texts>>;

export interface ImportList {
  routes: ImportRoutes;
  /** The objects in the list, as in "Import Users". */
  what: string;
  /** Advice shown before the file is chosen. */
  hint?: string;
  /** The step that follows the import, shown beside its result. */
  Next?: ComponentType<AfterImport>;
}

/** What the step after an import knows about it. */
export interface AfterImport {
  result: ImportPreview;
  onClose: () => void;
}

interface ImportDrawerProps extends ImportList {
  onClose: () => void;
  /** Called when rows have been stored. */
  onImported: () => void;
}

const isBook = async (file: File) => (await file.slice(0, 2).text()) === 'PK';

/** State of an import: the chosen file, its preview or result, and errors. */
function useImport(routes: ImportRoutes, onImported: () => void) {
  const t = useMessages(texts);
  const [reading, setReading] = useState<string>();
  const [isImporting, setImporting] = useState(false);
  const [preview, setPreview] = useState<ImportPreview | PartsPreview>();
  const [failure, setFailure] = useState<string>();
  /** Progress of a long list, 0 to 1, while it is processed. */
  const [share, setShare] = useState<number>();
  const course = useRef<AbortController>(undefined);
  const inParts = async (work: (of: { signal: AbortSignal; onProgress: (share: number) => void }) => Promise<void>) => {
    const controller = new AbortController();
    course.current = controller;
    setShare(0);
    try {
      await work({ signal: controller.signal, onProgress: setShare });
    } catch (error) {
      if (!controller.signal.aborted) setFailure(sentenceOf(error, t));
    }
    setShare(undefined);
  };
  const judge = async (file: File) => {
    setFailure(undefined);
    setPreview(undefined);
    if (file.size === 0) return setFailure(t('emptyFile'));
    const isLarge = file.size > PARTS_ABOVE_OCTETS && !/\.json$/i.test(file.name) && !(await isBook(file));
    if (!isLarge && file.size > MAX_IMPORT_OCTETS) return setFailure(t('bookTooLarge'));
    setReading(file.name);
    if (isLarge) await inParts(async (of) => setPreview(await judgeInParts(routes, file, of)));
    else {
      const answer = await call(routes.preview, { query: { name: file.name }, body: new Uint8Array(await file.arrayBuffer()) });
      if (answer.ok) setPreview(answer.data);
      else setFailure(answer.error.message);
    }
    return setReading(undefined);
  };
  const commit = async (judged: ImportPreview | PartsPreview) => {
    setFailure(undefined);
    setImporting(true);
    if ('parts' in judged)
      await inParts(async (of) => {
        setPreview(await commitInParts(routes, judged, of));
        if (of.signal.aborted) setFailure(t('stopped'));
        onImported();
      });
    else {
      const answer = await call(routes.commit, { params: { id: judged.id } });
      if (answer.ok) {
        setPreview(answer.data);
        onImported();
      } else setFailure(answer.error.message);
    }
    setImporting(false);
  };
  const save = async (work: Promise<void>) => {
    setFailure(undefined);
    await work.catch((error: unknown) => setFailure(failureText(error)));
  };
  const saveTemplate = (format: SheetFormat) => void save(download(routes.template, { query: { format } }));
  const saveResult = (of: ImportPreview | PartsPreview) =>
    void save(
      'parts' in of
        ? resultOfParts(routes, of).then((file) => saveFile(file.name, file))
        : download(routes.result, { params: { id: of.id } }),
    );
  const stop = () => course.current?.abort();
  return {
    reading,
    isImporting,
    preview,
    failure,
    share,
    judge,
    commit,
    stop,
    saveTemplate,
    saveResult,
    restart: () => setPreview(undefined),
  };
}

function sentenceOf(error: unknown, t: Say): string {
  if (error instanceof PartFailed) return error.line === 2 ? error.message : t('inLines', { line: error.line, message: error.message });
  if (error instanceof EndlessLine) return t('endless', { line: error.line });
  return error instanceof TypeError ? t('encoding') : failureText(error);
}

/** Progress of a long list, with a stop button. */
function Course({ text, share, onStop }: { text: string; share: number; onStop: () => void }) {
  const t = useMessages(texts);
  return (
    <div className={styles['course']} role="status">
      <span>{text}</span>
      <Progress percent={Math.floor(share * 100)} aria-label={text} />
      <Button size="small" onClick={onStop}>
        {t('stop')}
      </Button>
    </div>
  );
}

function Verdict({ preview }: { preview: ImportPreview }) {
  const t = useMessages(texts);
  const { new: added, update: updated, errors } = preview;
  if (preview.isDone)
    return <Alert showIcon role="status" type={errors > 0 ? 'warning' : 'success'} title={t('done', { added, updated, errors })} />;
  if (added + updated > 0) return null;
  return errors === 0 ? <Alert showIcon type="info" title={t('allThere')} /> : <Alert showIcon type="error" title={t('noneValid')} />;
}

/** The steps of every import: template, file, validation of all rows, import of the valid ones, result file. */
function ImportDrawer({ routes, what, hint, Next, onClose, onImported }: ImportDrawerProps) {
  const t = useMessages(texts);
  const { reading, isImporting, preview, failure, share, judge, commit, stop, saveTemplate, saveResult, restart } = useImport(
    routes,
    onImported,
  );
  const valid = preview ? preview.new + preview.update : 0;
  return (
    <Drawer
      open
      size={WIDTH}
      title={t('importTitle', { what })}
      onClose={onClose}
      extra={
        <span className={styles['template']}>
          <span title={t('templateHint')}>{t('template')}</span>
          {(['xlsx', 'csv', 'json'] as const).map((format) => (
            <Button key={format} size="small" icon={<Download size={13} aria-hidden="true" />} onClick={() => saveTemplate(format)}>
              {format.toUpperCase()}
            </Button>
          ))}
        </span>
      }
      footer={
        <div className={styles['footer']}>
          <span>
            {preview && !preview.isDone && valid > 0 && preview.errors > 0 ? t('skipped', { count: preview.errors }) : t('recorded')}
          </span>
          {preview ? (
            <>
              <Button icon={<Download size={14} aria-hidden="true" />} disabled={isImporting} onClick={() => saveResult(preview)}>
                {t('resultFile')}
              </Button>
              <Button icon={<FileUp size={14} aria-hidden="true" />} onClick={restart}>
                {t('another')}
              </Button>
            </>
          ) : null}
          <Button onClick={onClose}>{t(preview?.isDone ? 'close' : 'cancel')}</Button>
          {preview?.isDone && valid > 0 && Next ? <Next result={preview} onClose={onClose} /> : null}
          {preview && !preview.isDone ? (
            <Button
              type="primary"
              disabled={valid === 0}
              loading={isImporting}
              icon={<Upload size={14} aria-hidden="true" />}
              onClick={() => void commit(preview)}
            >
              {t('importLines', { count: valid })}
            </Button>
          ) : null}
        </div>
      }
    >
      <div className={styles['body']}>
        {failure === undefined ? null : <Alert type="error" showIcon role="alert" title={failure} />}
        {share === undefined ? null : (
          <Course text={t(isImporting ? 'importing' : 'judging', { name: reading ?? '' })} share={share} onStop={stop} />
        )}
        {preview ? (
          <>
            <Verdict preview={preview} />
            <Preview preview={preview} />
          </>
        ) : (
          <>
            {hint === undefined ? null : <Alert type="info" showIcon title={hint} />}
            <DropZone busy={reading} onFile={(file) => void judge(file)} />
          </>
        )}
      </div>
    </Drawer>
  );
}

interface ImportButtonProps {
  /** With several lists, the button offers all of them. */
  lists: readonly ImportList[];
  /** Instead of "Import". */
  label?: string;
  onImported: () => void;
}

/** The import button of a page. Renders nothing for users without the right to import. */
export function ImportButton({ lists: every, label, onImported }: ImportButtonProps) {
  const t = useMessages(texts);
  const may = useMay();
  const [open, setOpen] = useState<ImportList>();
  const lists = every.filter(({ routes }) => may(routes.preview));
  const [only] = lists;
  if (only === undefined) return null;
  const button = (onClick?: () => void) => (
    <Button icon={<Upload size={15} aria-hidden="true" />} {...(onClick ? { onClick } : { 'aria-haspopup': 'menu' })}>
      {label ?? t('importList')}
    </Button>
  );
  const items = lists.map((list) => ({ key: list.routes.preview.path, label: list.what, onClick: () => setOpen(list) }));
  return (
    <>
      {lists.length === 1 ? (
        button(() => setOpen(only))
      ) : (
        <Dropdown trigger={['click']} autoFocus menu={{ items }}>
          {button()}
        </Dropdown>
      )}
      {open ? <ImportDrawer {...open} onImported={onImported} onClose={() => setOpen(undefined)} /> : null}
    </>
  );
}
