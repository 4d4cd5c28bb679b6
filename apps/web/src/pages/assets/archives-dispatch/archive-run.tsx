import { DeviceRun } from '#domain/device-run/device-run.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { texts } from './texts.ts';

const isText = (key: string): key is keyof typeof texts => Object.hasOwn(texts, key);

/** An order to archives with its steps and frames. */
export function ArchiveRun({ taskId, onClose }: { taskId: string; onClose: () => void }) {
  const t = useMessages(texts);
  const say = useSay();
  return <DeviceRun taskId={taskId} title={t('log')} nameOf={(key) => (isText(key) ? say(texts[key]) : key)} onClose={onClose} />;
}
