import { Alert, Button, Input, Modal } from 'antd';
import { ScanBarcode, Search } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { canScan, scanSn } from './barcode.ts';
import { texts } from './messages.ts';
import styles from './status.module.css';

/** The camera until a barcode is read. */
function Scanner({ onSn, onClose }: { onSn: (sn: string) => void; onClose: () => void }) {
  const t = useMessages(texts);
  const video = useRef<HTMLVideoElement>(null);
  const [isRefused, setRefused] = useState(false);
  const taken = useEffectEvent(onSn);
  useEffect(() => {
    const ended = new AbortController();
    if (video.current !== null)
      scanSn(video.current, ended.signal).then(
        (sn) => {
          if (sn !== undefined && !ended.signal.aborted) taken(sn);
        },
        () => setRefused(true),
      );
    return () => ended.abort();
  }, []);
  return (
    <Modal open centered title={t('scan')} footer={null} onCancel={onClose}>
      {isRefused ? <Alert type="warning" showIcon title={t('noCamera')} /> : <p className={styles['muted']}>{t('scanHint')}</p>}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the picture of a camera has no sound */}
      <video ref={video} className={styles['camera']} muted playsInline />
    </Modal>
  );
}

interface SnFieldProps {
  label: string;
  value: string;
  onChange: (sn: string) => void;
  /** Called when a number was scanned, or Enter was pressed. */
  onEnter: (sn: string) => void;
  isBusy?: boolean;
}

/** A serial number, typed or read by the camera where the browser can. */
export function SnField({ label, value, onChange, onEnter, isBusy = false }: SnFieldProps) {
  const t = useMessages(texts);
  const [isScanning, setScanning] = useState(false);
  const taken = (sn: string) => {
    setScanning(false);
    onChange(sn);
    onEnter(sn);
  };
  return (
    <span className={styles['snField']}>
      <Input
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        autoCapitalize="characters"
        enterKeyHint="search"
        className="mono"
        value={value}
        onChange={({ target }) => onChange(target.value)}
        onPressEnter={() => onEnter(value.replaceAll(/\s/g, '').toUpperCase())}
      />
      <Button
        icon={<Search size={16} aria-hidden="true" />}
        aria-label={t('find')}
        loading={isBusy}
        onClick={() => onEnter(value.replaceAll(/\s/g, '').toUpperCase())}
      />
      {canScan() ? (
        <Button icon={<ScanBarcode size={16} aria-hidden="true" />} aria-label={t('scan')} onClick={() => setScanning(true)} />
      ) : null}
      {isScanning ? <Scanner onSn={taken} onClose={() => setScanning(false)} /> : null}
    </span>
  );
}
