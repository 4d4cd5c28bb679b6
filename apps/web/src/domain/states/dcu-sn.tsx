import { COMMUNICATION_MODE_TEXT } from '@hes/contract/text/device-text.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { Sn } from '#kit/basics/text.tsx';

/** The serial number of a DCU; null stands for a direct meter. */
export function DcuSn({ sn }: { sn: string | null }) {
  const say = useSay();
  return sn === null ? <>{say(COMMUNICATION_MODE_TEXT.direct)}</> : <Sn sn={sn} />;
}
