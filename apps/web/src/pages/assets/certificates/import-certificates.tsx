import {
  certificate,
  MAX_CERTIFICATE_FILE_OCTETS,
  type CertificateImportResult,
  type ImportedCertificate,
} from '@hes/contract/asset/certificate.ts';
import { Alert, App, Button, Modal } from 'antd';
import { Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { call } from '#core/api/client.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Empty } from '#kit/basics/states.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { DataTable } from '#kit/table/data-table.tsx';
import { texts } from './messages.ts';
import { VERDICT } from './signs.ts';
import styles from './certificates.module.css';

const WIDTH = 860;

interface Imported {
  name: string;
  result: CertificateImportResult;
}

/** What became of each certificate of the file. */
function ImportResult({ name, result, onClose }: Imported & { onClose: () => void }) {
  const t = useMessages(texts);
  const { new: added, unchanged, errors, rows } = result;
  const total = added + unchanged + errors;
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={t('importOf', { name })}
      onCancel={onClose}
      footer={
        <Button autoFocus onClick={onClose}>
          {t('close')}
        </Button>
      }
    >
      <Alert showIcon role="status" type={errors > 0 ? 'warning' : 'success'} title={t('importDone', { added, unchanged, errors })} />
      <div className={styles['rows']}>
        <DataTable<ImportedCertificate>
          label={t('importOf', { name })}
          columns={[
            { key: 'number', title: t('number'), width: 64, align: 'right', value: (row) => row.number },
            { key: 'subject', title: t('subject'), width: 180, mono: true, value: (row) => row.subject },
            { key: 'verdict', title: t('result'), width: 130, cell: (row) => <StateOf sign={VERDICT[row.verdict]} /> },
            { key: 'message', title: t('reason'), cell: (row) => <span className={styles['message']}>{row.message ?? '—'}</span> },
          ]}
          rows={rows}
          rowKey={({ number }) => String(number)}
          empty={<Empty small text={t('empty')} />}
        />
      </div>
      {rows.length < total ? <p>{t('notAll', { count: rows.length })}</p> : null}
    </Modal>
  );
}

/** Uploads a file of certificates and shows the verdicts. Renders nothing for users without the right to import. */
export function ImportCertificates({ onImported }: { onImported: () => void }) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [imported, setImported] = useState<Imported>();
  if (!may(certificate.import)) return null;
  const take = async (file: File) => {
    if (file.size > MAX_CERTIFICATE_FILE_OCTETS) return void message.error(t('tooLarge'));
    setBusy(true);
    const body = new Uint8Array(await file.arrayBuffer());
    const answer = await call(certificate.import, { query: { name: file.name }, body });
    setBusy(false);
    if (!answer.ok) return void message.error(answer.error.message);
    setImported({ name: file.name, result: answer.data });
    return onImported();
  };
  return (
    <>
      <Button
        icon={<Upload size={15} aria-hidden="true" />}
        loading={isBusy}
        title={t('importHint')}
        onClick={() => input.current?.click()}
      >
        {t('import')}
      </Button>
      <input
        ref={input}
        type="file"
        accept=".pem,.crt,.cer,.der"
        aria-label={t('import')}
        className="visually-hidden"
        tabIndex={-1}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file) void take(file);
          event.target.value = '';
        }}
      />
      {imported ? <ImportResult {...imported} onClose={() => setImported(undefined)} /> : null}
    </>
  );
}
