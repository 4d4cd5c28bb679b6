import { Image, Sheet } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { failureText } from '#core/api/errors.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { downloadCsv, saveFile } from '#core/files/download-csv.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { PlainButton } from '#kit/plain/plain-button.tsx';
import { pictureOf } from './picture.ts';
import { texts } from './texts.ts';
import styles from './cards.module.css';

interface CardProps {
  title: string;
  note?: ReactNode;
  extra?: ReactNode;
  className?: string | undefined;
  /** The data as rows with a header; undefined while there is none. */
  csv: (() => unknown[][]) | undefined;
  children: ReactNode;
}

/** A panel that can be saved as an image and as CSV. */
export function Card({ title, note, extra, className, csv, children }: CardProps) {
  const t = useMessages(texts);
  const [failure, setFailure] = useState<string>();
  const savePicture = async (button: HTMLElement) => {
    const panel = button.closest('section');
    setFailure(undefined);
    try {
      const picture = panel ? await pictureOf(panel) : undefined;
      if (picture) saveFile(`${title}.png`, picture);
      else setFailure(t('noPicture'));
    } catch (error) {
      setFailure(failureText(error));
    }
  };
  return (
    <Panel
      title={title}
      note={
        failure === undefined ? (
          note
        ) : (
          <span role="alert" className={styles['failure']}>
            {failure}
          </span>
        )
      }
      className={className}
      extra={
        <>
          <span className={styles['tools']} data-not-in-picture>
            <PlainButton
              look="text"
              size="small"
              aria-label={`${t('savePicture')}: ${title}`}
              title={t('savePicture')}
              icon={<Image size={13} aria-hidden="true" />}
              onClick={(event) => void savePicture(event.currentTarget)}
            />
            <PlainButton
              look="text"
              size="small"
              disabled={csv === undefined}
              aria-label={`${t('saveNumbers')}: ${title}`}
              title={t('saveNumbers')}
              icon={<Sheet size={13} aria-hidden="true" />}
              onClick={() => csv && downloadCsv(title, csv())}
            />
          </span>
          {extra}
        </>
      }
    >
      {children}
    </Panel>
  );
}
