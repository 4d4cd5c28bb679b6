import { deviceSn } from '@hes/contract/text/device-name.ts';
import { to } from '@hes/contract/page/links.ts';
import { Bell as BellIcon } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { grouped } from '#core/time/number.ts';
import { PlainButton } from '#kit/plain/plain-button.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { WithPopup } from '#kit/plain/with-popup.tsx';
import { numberedTaskName } from '@hes/contract/task/words.ts';
import { jobPath } from '#domain/live-run/jobs.ts';
import { outcomeParts } from '#domain/live-run/outcome.ts';
import { texts as runTexts } from '#domain/live-run/texts.ts';
import { Glyph } from '#kit/state/glyphs.tsx';
import { taskSign } from '#domain/states/tables.ts';
import { useInbox, type Notice } from './inbox.ts';
import { messages } from '#app/messages.ts';
import header from './header.module.css';
import styles from './bell.module.css';

/** Larger counts are shown as "99+". */
const MAX_SHOWN = 99;

function Line({ notice, unread, onOpen }: { notice: Notice; unread: boolean; onOpen: () => void }) {
  const t = useMessages(messages);
  const runWords = useMessages(runTexts);
  const say = useSay();
  const isEvent = notice.kind === 'event';
  const code = isEvent ? t('eventCode', { code: String(notice.event.code) }) : '';
  const title = isEvent ? say({ en: notice.event.nameEn ?? code, zh: notice.event.nameZh ?? code }) : say(numberedTaskName(notice.job));
  const sign = isEvent ? ({ shape: 'ring!', tone: 'red' } as const) : taskSign(notice.job);
  const path = isEvent ? to.events({ sel: notice.event.id }) : jobPath(notice.job);
  const detail = isEvent ? grouped(deviceSn(notice.event)) : outcomeParts(runWords, notice.job).join(' · ');
  return (
    <li data-unread={unread || undefined}>
      <Link to={path} onClick={onOpen}>
        <Glyph shape={sign.shape} tone={sign.tone} size={15} />
        <span className={styles['what']}>
          <b>{title}</b>
          <span>{detail}</span>
        </span>
        <time dateTime={notice.at}>{dateTime(notice.at).slice(5, 16)}</time>
      </Link>
    </li>
  );
}

/** Notices about serious events and finished jobs of the user, on every page. */
export function Bell() {
  const t = useMessages(messages);
  const { notices, unread, seenMs, markRead } = useInbox();
  const [open, setOpen] = useState(false);
  const content = (
    <section className={styles['list']} aria-label={t('notices')}>
      <header>
        <h2>{t('notices')}</h2>
        <PlainButton size="small" look="link" disabled={unread === 0} onClick={markRead}>
          {t('markRead')}
        </PlainButton>
      </header>
      {notices.length === 0 ? <Empty small text={t('noNotices')} /> : null}
      <ul>
        {notices.map((notice) => (
          <Line key={notice.key} notice={notice} unread={Date.parse(notice.at) > seenMs} onOpen={() => setOpen(false)} />
        ))}
      </ul>
    </section>
  );
  return (
    <WithPopup open={open} onOpenChange={setOpen} trigger={['click']} placement="bottomRight" arrow={false} content={content}>
      <button
        type="button"
        className={header['icon']}
        aria-label={t('bell', { count: unread })}
        aria-haspopup="dialog"
        aria-expanded={open}
      >
        <span className={styles['bell']}>
          <BellIcon size={17} aria-hidden="true" />
          {unread > 0 ? <span className={styles['unread']}>{unread > MAX_SHOWN ? `${MAX_SHOWN}+` : unread}</span> : null}
        </span>
      </button>
    </WithPopup>
  );
}
