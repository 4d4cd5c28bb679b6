import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cssVariables, RADIUS_PX, SPACE_PX } from '../../apps/web/src/core/theme/tokens.ts';

const folder = path.resolve(import.meta.dirname, '../../apps/web/src');
/** The style modules of the console by path. */
const styles = globSync('**/*.module.css', { cwd: folder }).map((file) => [file, readFileSync(path.join(folder, file), 'utf8')] as const);

/** Gaps, paddings and radii in pixels that are not on the scale yet, by module. A number may only become smaller; new modules have none. */
const OFF_SCALE: Readonly<Record<string, number>> = {
  'app/frame/loading-overlay.module.css': 2,
  'app/frame/stale-banner.module.css': 1,
  'app/header/bell.module.css': 2,
  'app/header/header.module.css': 2,
  'app/keys/keys.module.css': 2,
  'app/search/search-overlay.module.css': 7,
  'app/tabs/tab-strip.module.css': 1,
  'domain/brand/preference-switches.module.css': 1,
  'domain/device-run/device-run.module.css': 5,
  'domain/frames/frames.module.css': 2,
  'domain/live-run/live-run.module.css': 2,
  'domain/meter-wall/meter-wall.module.css': 2,
  'domain/schedule-builder/schedule-builder.module.css': 11,
  'domain/second-factor/second-factor.module.css': 3,
  'domain/topology/station.module.css': 1,
  'domain/upgrade-state/phase-bar.module.css': 1,
  'kit/basics/panel.module.css': 2,
  'kit/basics/states.module.css': 1,
  'kit/basics/text.module.css': 2,
  'kit/chart/bars.module.css': 1,
  'kit/chart/heat-map.module.css': 2,
  'kit/dialog/danger-dialog.module.css': 2,
  'kit/form/form.module.css': 5,
  'kit/page/facet-strip.module.css': 2,
  'kit/page/list-page.module.css': 1,
  'kit/page/notice-page.module.css': 1,
  'kit/pane/side-pane.module.css': 1,
  'kit/plain/plain-button.module.css': 2,
  'kit/plain/segments.module.css': 2,
  'kit/state/state-of.module.css': 1,
  'kit/table/data-table.module.css': 1,
  'pages/action/clock-synchronization/clock.module.css': 3,
  'pages/action/dcu-configuration/dcu-config.module.css': 6,
  'pages/action/relay-control/relay.module.css': 2,
  'pages/assets/archives-dispatch/archives.module.css': 2,
  'pages/assets/dcu/detail.module.css': 5,
  'pages/assets/meter-asset-discovery/discovery.module.css': 1,
  'pages/dashboard/cards.module.css': 5,
  'pages/dashboard/panels/kpi.module.css': 4,
  'pages/dashboard/panels/map.module.css': 2,
  'pages/login/login.module.css': 2,
  'pages/meter/auto-meter-reading/reading.module.css': 2,
  'pages/meter/collect-plan/plan.module.css': 2,
  'pages/meter/meter-event/event.module.css': 2,
  'pages/meter/obis-management/obis.module.css': 1,
  'pages/meter-management/mdms/electric-bill/bill.module.css': 1,
  'pages/meter-management/mdms/phase-analysis/phase.module.css': 1,
  'pages/meter-management/network/network-topology/topology.module.css': 5,
  'pages/system/debug/network-topology-switch/switch.module.css': 1,
  'pages/system/debug/sta-model/sta-model.module.css': 4,
  'pages/system/system-management/audit/audit.module.css': 2,
  'pages/system/upgrade/firmware-upgrade/upgrade.module.css': 4,
  'pages/system/upgrade/upgrade-detail/detail.module.css': 6,
};

const DECLARATION = /(?<![\w-])(?:(?:row-|column-)?gap|padding(?:-[a-z-]+)?|border(?:-[a-z]+-[a-z]+)?-radius):\s*([^;{}]+);/g;
const pixelsIn = (css: string): number =>
  [...css.replaceAll(/\/\*[\s\S]*?\*\//g, '').matchAll(DECLARATION)].flatMap(([, value]) => value?.match(/[\d.]+px\b/g) ?? []).length;

test('gaps, paddings and radii of the modules are steps of the scale, except a list that shrinks', () => {
  const found = styles.map(([file, css]) => [file, pixelsIn(css)] as const);
  expect(Object.fromEntries(found.filter(([, count]) => count > 0).toSorted(([a], [b]) => (a < b ? -1 : 1)))).toEqual(OFF_SCALE);
});

test('every variable of a module is one of the theme, of the scale of the screen, or set by a component', () => {
  const known = new Set([
    ...Object.keys(cssVariables('light')),
    '--k',
    '--boost',
    '--stage-w',
    '--stage-h',
    '--sans',
    '--mono',
    '--table-w',
    '--online',
    '--offline',
  ]);
  const unknown = styles.flatMap(([file, css]) =>
    [...css.matchAll(/var\((--[\w-]+)\)/g)]
      .map(([, name = '']) => name)
      .filter((name) => !known.has(name) && !/^--f\d\d$/.test(name) && !new RegExp(`${name}:`).test(css))
      .map((name) => `${file} ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('both themes have the same variables, among them spaces and radii', () => {
  const light = cssVariables('light');
  expect(Object.keys(cssVariables('dark'))).toEqual(Object.keys(light));
  expect([light['--space-1'], light['--space-9'], light['--radius-l'], light['--surface-2']]).toEqual([
    `${SPACE_PX[0]}px`,
    `${SPACE_PX.at(-1)}px`,
    `${RADIUS_PX.l}px`,
    '#F5F7F9',
  ]);
});
