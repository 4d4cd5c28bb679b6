import { REASONS, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { say, type Locale, type Text } from '@hes/contract/core/text.ts';
import {
  HALT_TEXT,
  UPGRADE_JOB_TEXT,
  UPGRADE_TARGET_TEXT,
  UPGRADE_TEXT,
  upgradeState,
  type UpgradeState,
} from '@hes/contract/states/upgrade.ts';
import type { UpgradeJobRow } from '@hes/contract/upgrade/job.ts';
import type { UpgradeRecordRow } from '@hes/contract/upgrade/record.ts';
import { PAGE, PdfPages } from '#platform/pdf/pdf-pages.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';

const T = {
  title: { en: 'Upgrade report', zh: '升级报告' },
  firmware: { en: 'Firmware', zh: '固件' },
  kind: { en: 'Type', zh: '类型' },
  state: { en: 'State', zh: '状态' },
  reason: { en: 'Reason', zh: '原因' },
  by: { en: 'Ordered by', zh: '下达人' },
  created: { en: 'Ordered', zh: '下达时间' },
  finished: { en: 'Finished', zh: '完成时间' },
  sent: { en: 'Octets sent', zh: '发送字节数' },
  halted: { en: 'Halted', zh: '中止原因' },
  ring: { en: 'Ring', zh: '批次' },
  targets: { en: 'Targets', zh: '目标数' },
  done: { en: 'Done', zh: '完成' },
  failed: { en: 'Failed', zh: '失败' },
  status: { en: 'Status', zh: '状态' },
  count: { en: 'Devices', zh: '设备数' },
  sn: { en: 'SN', zh: '编号' },
  version: { en: 'Version', zh: '版本' },
  notDone: { en: 'Devices that were not upgraded', zh: '未升级成功的设备' },
  more: { en: '{count} more: the export of the page has all of them', zh: '另有 {count} 台，请在页面导出完整列表' },
  page: { en: 'Page {n}', zh: '第 {n} 页' },
  made: { en: 'Made', zh: '生成时间' },
} satisfies Record<string, Text>;

interface ReportParts {
  job: UpgradeJobRow;
  byStatus: Partial<Record<UpgradeState, number>>;
  /** Failed records, up to the limit of the report. */
  failures: readonly UpgradeRecordRow[];
  locale: Locale;
  timeZone: string;
  now: number;
}

const [LEFT, RIGHT, TOP, FOOT] = [56, 539, 72, 780];
const ROW = 17;
const DASH = '-';

/** Builds the PDF report of an upgrade. */
export function reportOf({ job, byStatus, failures, locale, timeZone, now }: ReportParts): Promise<Buffer> {
  const t = (key: keyof typeof T, params?: Record<string, string | number>) => say(T[key], locale, params);
  const zone = new Zone(timeZone);
  const local = (ms: number): string => new Date(ms + zone.offsetMs(ms)).toISOString().slice(0, 16).replace('T', ' ');
  const moment = (instant: string | null): string => (instant === null ? DASH : local(Date.parse(instant)));
  const reasonOf = (code: string | null): string => {
    const text = code === null ? undefined : REASONS[code as ReasonCode]; // as: records hold no others
    return text === undefined ? DASH : say(text, locale);
  };
  const number = (value: number): string => value.toLocaleString('en-US');
  const pages = new PdfPages();
  let y = TOP;
  let sheet = 0;
  const foot = () => {
    const at = { y: PAGE.height - 40, size: 8, isGrey: true };
    pages.text({ ...at, x: LEFT, text: `${t('made')} ${local(now)} (${timeZone})` });
    pages.text({ ...at, x: RIGHT, text: t('page', { n: ++sheet }), isRight: true });
  };
  const down = (by = ROW): void => {
    y += by;
    if (y < FOOT) return;
    foot();
    pages.turn();
    y = TOP;
  };
  const table = (ends: readonly number[], head: string[], rows: string[][], size = 9.5): void => {
    const row = (cells: string[], isGrey = false) =>
      cells.forEach((text, k) =>
        pages.text({ x: ends[k] ?? LEFT, y, size, text, isGrey, width: (ends[k + 1] ?? RIGHT) - (ends[k] ?? LEFT) - 8 }),
      );
    row(head, true);
    pages.line(LEFT, RIGHT, y + 5);
    down(ROW + 2);
    for (const cells of rows) {
      row(cells);
      down();
    }
    down();
  };
  pages.text({ x: LEFT, y, size: 20, text: t('title') });
  pages.text({ x: RIGHT, y, size: 11, text: job.name, isRight: true });
  pages.line(LEFT, RIGHT, y + 14, 1.2);
  down(40);
  const head: [string, string][] = [
    [t('firmware'), `${job.firmwareName} ${job.firmwareVersion}`],
    [t('kind'), say(UPGRADE_TARGET_TEXT[job.targetKind], locale)],
    [t('state'), `${say(UPGRADE_JOB_TEXT[job.state], locale)}, ${Math.floor(job.process)} %`],
    [t('reason'), job.reason],
    [t('by'), job.createdByName ?? DASH],
    [t('created'), moment(job.createdAt)],
    [t('finished'), moment(job.finishedAt)],
    [t('sent'), number(job.octetsSent)],
    ...(job.haltCause === null ? [] : [[t('halted'), say(HALT_TEXT[job.haltCause], locale)] satisfies [string, string]]),
  ];
  for (const [label, value] of head) {
    pages.text({ x: LEFT, y, size: 9, text: label, isGrey: true });
    pages.text({ x: LEFT + 112, y, size: 10, text: value, width: RIGHT - LEFT - 112 });
    down();
  }
  down();
  const rings = job.rings.map(({ ring, targets, done, failed }) => [ring, targets, done, failed].map(number));
  table([LEFT, 180, 300, 420], [t('ring'), t('targets'), t('done'), t('failed')], rings);
  const states = upgradeState.options.filter((state) => (byStatus[state] ?? 0) > 0);
  table(
    [LEFT, 300],
    [t('status'), t('count')],
    states.map((state) => [say(UPGRADE_TEXT[state], locale), number(byStatus[state] ?? 0)]),
  );
  if (failures.length > 0) {
    pages.text({ x: LEFT, y, size: 12, text: t('notDone') });
    down(24);
    table(
      [LEFT, 132, 162, 224, 292],
      [t('sn'), t('ring'), t('status'), t('version'), t('reason')],
      failures.map((one) => [
        one.sn,
        String(one.ring),
        say(UPGRADE_TEXT[one.status], locale),
        one.oldVersion ?? DASH,
        reasonOf(one.reasonCode),
      ]),
      // Reasons are long sentences and need the space.
      8.5,
    );
  }
  const left = (byStatus.error ?? 0) + (byStatus.update_fail ?? 0) - failures.length;
  if (left > 0) pages.text({ x: LEFT, y, size: 9.5, text: t('more', { count: left }) });
  foot();
  return pages.finish(`${t('title')} ${job.name}`);
}
