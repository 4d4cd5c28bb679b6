import type { SheetFormat } from '@hes/contract/core/file.ts';
import { MAX_IMPORT_OCTETS, type ImportPreview, type ImportRoutes } from '@hes/contract/transfer/import.ts';
import { Alert, Button, Drawer } from 'antd';
import { Download, FileUp, Upload } from 'lucide-react';
import { useState } from 'react';
import { call } from '#shared/api/client.ts';
import { download } from '#shared/api/download.ts';
import { failureText } from '#shared/api/errors.ts';
import { useMay } from '#shared/api/may.ts';
import { formTexts } from '#shared/form/form.messages.ts';
import { common } from '#shared/i18n/common.messages.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { DropZone } from './drop-zone.tsx';
import { messages } from './messages.ts';
import { Preview } from './preview.tsx';
import styles from './import-drawer.module.css';

const texts = { ...common, ...formTexts, ...messages };
const WIDTH = 1080;

interface ImportDrawerProps {
  routes: ImportRoutes;
  /** What the list holds, as in "Import Users". */
  what: string;
  onClose: () => void;
  /** Lines are in the database. */
  onImported: () => void;
}

/** What was chosen, what came of it, and what went wrong on the way. */
function useImport(routes: ImportRoutes, onImported: () => void) {
  const t = useMessages(texts);
  const [reading, setReading] = useState<string>();
  const [isImporting, setImporting] = useState(false);
  const [preview, setPreview] = useState<ImportPreview>();
  const [failure, setFailure] = useState<string>();
  const judge = async (file: File) => {
    setFailure(undefined);
    setPreview(undefined);
    if (file.size > MAX_IMPORT_OCTETS) return setFailure(t('tooLarge'));
    setReading(file.name);
    const answer = await call(routes.preview, { query: { name: file.name }, body: new Uint8Array(await file.arrayBuffer()) });
    setReading(undefined);
    return answer.ok ? setPreview(answer.data) : setFailure(answer.error.message);
  };
  const commit = async (id: string) => {
    setFailure(undefined);
    setImporting(true);
    const answer = await call(routes.commit, { params: { id } });
    setImporting(false);
    if (!answer.ok) return setFailure(answer.error.message);
    setPreview(answer.data);
    return onImported();
  };
  const save = async (work: Promise<void>) => {
    setFailure(undefined);
    await work.catch((error: unknown) => setFailure(failureText(error)));
  };
  const saveTemplate = (format: SheetFormat) => void save(download(routes.template, { query: { format } }));
  const saveResult = (id: string) => void save(download(routes.result, { params: { id } }));
  return { reading, isImporting, preview, failure, judge, commit, saveTemplate, saveResult, restart: () => setPreview(undefined) };
}

function Verdict({ preview }: { preview: ImportPreview }) {
  const t = useMessages(texts);
  const { new: added, update: updated, errors } = preview;
  if (preview.isDone)
    return <Alert showIcon role="status" type={errors > 0 ? 'warning' : 'success'} title={t('done', { added, updated, errors })} />;
  return added + updated === 0 ? <Alert showIcon type="error" title={t('noneValid')} /> : null;
}

/** Template → file → every line judged → the valid ones imported → a result file: the same way for every list. */
export function ImportDrawer({ routes, what, onClose, onImported }: ImportDrawerProps) {
  const t = useMessages(texts);
  const { reading, isImporting, preview, failure, judge, commit, saveTemplate, saveResult, restart } = useImport(routes, onImported);
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
          {(['xlsx', 'csv'] as const).map((format) => (
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
              <Button icon={<Download size={14} aria-hidden="true" />} onClick={() => saveResult(preview.id)}>
                {t('resultFile')}
              </Button>
              <Button icon={<FileUp size={14} aria-hidden="true" />} onClick={restart}>
                {t('another')}
              </Button>
            </>
          ) : null}
          <Button onClick={onClose}>{t(preview?.isDone ? 'close' : 'cancel')}</Button>
          {preview && !preview.isDone ? (
            <Button
              type="primary"
              disabled={valid === 0}
              loading={isImporting}
              icon={<Upload size={14} aria-hidden="true" />}
              onClick={() => void commit(preview.id)}
            >
              {t('importLines', { count: valid })}
            </Button>
          ) : null}
        </div>
      }
    >
      <div className={styles['body']}>
        {failure === undefined ? null : <Alert type="error" showIcon role="alert" title={failure} />}
        {preview ? (
          <>
            <Verdict preview={preview} />
            <Preview preview={preview} />
          </>
        ) : (
          <DropZone busy={reading} onFile={(file) => void judge(file)} />
        )}
      </div>
    </Drawer>
  );
}

/** The button of a list that can be imported; nothing for who may not. */
export function ImportButton({ routes, what, onImported }: Omit<ImportDrawerProps, 'onClose'>) {
  const t = useMessages(texts);
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!may(routes.preview)) return null;
  return (
    <>
      <Button icon={<Upload size={15} aria-hidden="true" />} onClick={() => setOpen(true)}>
        {t('importList')}
      </Button>
      {isOpen ? <ImportDrawer routes={routes} what={what} onImported={onImported} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
