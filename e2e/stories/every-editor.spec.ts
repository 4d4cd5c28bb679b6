import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, type Locator, type Page, type Route } from '@playwright/test';
import { ageRights, inDatabase } from '../support/age-rights.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { settled } from '../support/settled.ts';
import { signIn } from '../support/sign-in.ts';

const sources = path.resolve(import.meta.dirname, '../../apps/web/src');
/** The editors of the console by the beginning of their record, and whether they save over a version. */
const EDITORS = globSync('**/*.tsx', { cwd: sources })
  .filter((file) => !file.includes('.test.'))
  .map((file) => readFileSync(path.join(sources, file), 'utf8'))
  .flatMap((text) =>
    [...text.matchAll(/\brecord=(?:"|\{`)([a-z-]+)/g)].map(([, kind = '']) => ({
      kind,
      isVersioned: /form\.check\([^;]*\b(?:version|revision|updatedAt|before)\b/.test(text),
    })),
  )
  .toSorted((a, b) => a.kind.localeCompare(b.kind));

/** Of one step; without it a missing button takes the time of the whole test. */
const STEP_WITHIN_MS = 20_000;

let page: Page;
let headEnd: HeadEnd;

test.describe.configure({ mode: 'default', timeout: 90_000 });
test.beforeAll(async ({ browser }) => {
  test.setTimeout(180_000);
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: 'town' } });
  page = await browser.newPage();
  page.setDefaultTimeout(STEP_WITHIN_MS);
  await makeRecords();
  await ageRights(headEnd);
  await signIn(page, headEnd);
  await addProvider();
});
test.afterAll(async () => {
  await page.context().close();
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});
test.afterEach(() => page.unrouteAll());

/** Its content is sealed, so that no statement could write it. */
async function addProvider(): Promise<void> {
  const status = await page.evaluate(async () => {
    const token = JSON.parse(localStorage.getItem('HES_TOKEN') ?? '{}') as { access_token?: string }; // as: the console stored it
    const headers = { authorization: `Bearer ${token.access_token ?? ''}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'works', kind: 'oidc', issuer: 'https://id.example.com', clientId: 'hes' });
    return (await fetch('/api/manager/identity-provider', { method: 'POST', headers, body })).status;
  });
  expect(status).toBe(201);
}

/** Ids of records that a new installation does not have. */
const made: Record<string, string> = {};
const button = (name: string | RegExp, within: Page | Locator = page) => within.getByRole('button', { name }).first();
const fromMenu = (item: string | RegExp) => async () => {
  await button(/^Actions (?:for|of)/).click();
  await page.getByRole('menuitem', { name: item }).first().click();
};
const LIST = { open: fromMenu('Edit') };
const INLINE = { open: () => Promise.resolve() };

interface Way {
  address: () => string;
  open: () => Promise<void>;
  /** Part of the page with the editor, where it has several of them. */
  within?: string;
}
const at = (address: string, { open }: Pick<Way, 'open'>): Way => ({ address: () => address, open });
/** The way to each editor. An editor without one fails. */
const WAYS: Record<string, Way> = {
  'identity-provider': at('system/system-management/identity-providers', LIST),
  'alarm-channel': at('system/system-management/alarms?tab=channels', LIST),
  'alarm-recipient': at('system/system-management/alarms?tab=recipients', LIST),
  'alarm-rule': at('system/system-management/alarms?tab=rules', LIST),
  'connect-dcu': at('assets/connect-device?kind=dcu&step=register', INLINE),
  'connect-keys': { address: () => `assets/connect-device?kind=dcu&id=${made['keyless']}&step=register`, ...INLINE },
  'connect-meter': at('assets/connect-device?kind=meter&step=register', INLINE),
  dcu: at('assets/dcu', LIST),
  'dcu-type': at('assets/dcu-type-management', LIST),
  'device-keys': at('assets/dcu', { open: fromMenu(/Keys/) }),
  'event-code': at('meter/meter-event', {
    open: async () => {
      await button('Code catalogue').click();
      await button(/^Edit \d/).click();
    },
  }),
  'event-note': { address: () => `meter/meter-event?sel=${made['event']}`, ...INLINE },
  exchange: at('assets/status?node=meter:2', { open: () => button('Replace meter').click() }),
  firmware: at('system/upgrade/firmware-upgrade?tab=library', LIST),
  'firmware-key': at('system/upgrade/firmware-upgrade?tab=keys', { open: () => button('Add key').click() }),
  'frame-note': { address: () => `system/debug/dcu-log-management?node=dcu:1&view=stored&frame=${made['frame']}`, ...INLINE },
  install: at('assets/status', { open: () => button('Install meter').click() }),
  level: { address: () => `assets/network?sel=${made['level']}`, ...INLINE },
  'manual-reading': at('meter/auto-meter-reading?node=meter:2', { open: () => button('Enter reading').click() }),
  meter: at('assets/meter-asset-discovery', LIST),
  'meter-limit': at('meter-management/mdms/electric-bill?tab=anomalies&kind=month', { open: fromMenu('Limits') }),
  'meter-template': { address: () => `meter/obis-management?tab=templates&template=${made['template']}`, ...INLINE },
  'meter-type': at('assets/meter-type-management', LIST),
  module: at('system/system-management/module-management', LIST),
  obis: at('meter/obis-management', LIST),
  plan: at('meter/collect-plan', LIST),
  'price-list': at('meter-management/mdms/electric-bill', { open: () => button('Prices').click() }),
  profile: at('dashboard', {
    open: async () => {
      await button(/User menu/).click();
      await page.getByRole('menuitem', { name: 'Profile' }).click();
    },
  }),
  program: at('system/system-management/user-management?tab=programs', LIST),
  'program-token': {
    address: () => `system/system-management/user-management?tab=programs&sel=${made['program']}`,
    open: () => button('New token').click(),
  },
  replacement: at('assets/meter-asset-discovery', { open: fromMenu(/^Replace/) }),
  role: at('system/system-management/role-management', LIST),
  'role-permissions': at('system/system-management/role-management', { open: fromMenu('Permissions') }),
  sender: at('system/system-management/deliveries', LIST),
  // The first card takes the name of an account, and refuses any other text.
  setting: { ...at('system/system-management/settings', INLINE), within: '#setting-freshness' },
  supplier: at('assets/supplier-management', LIST),
  'topology-setting': at('system/debug/network-topology-switch?dcu=1', INLINE),
  transformer: at('assets/transformer', LIST),
  user: at('system/system-management/user-management', LIST),
};

/** A field that is free to hold any text or a slightly larger number, or a box. */
const FREE = ['note', 'description', 'address', 'upgradeReason', 'nameEn', 'name'];

async function fieldOf(form: Locator): Promise<{ field: Locator; mine: string; theirs: string }> {
  for (const name of FREE) {
    const field = form.locator(`[id$="-${name}"]:enabled`).or(form.getByRole('textbox', { name: new RegExp(`^${name}$`, 'i') }));
    if (await field.first().isVisible()) return { field: field.first(), mine: 'Mine', theirs: 'Theirs' };
  }
  const number = form.locator('input[role="spinbutton"]:enabled').first();
  if (await number.isVisible()) {
    const stored = Number((await number.inputValue()) || '0');
    return { field: number, mine: String(stored + 1), theirs: String(stored + 2) };
  }
  return {
    field: form.locator('textarea:enabled, input[type="password"]:enabled, input[type="text"]:enabled:not([role="combobox"])').first(),
    mine: 'Mine',
    theirs: 'Theirs',
  };
}

/** Another user saves the same record first: with the value `theirs` in place of the one that was typed. */
async function overtakeOnce(mine: string, theirs: string): Promise<void> {
  let isOver = false;
  await page.route('**/api/**', async (route: Route) => {
    const sent = route.request().postData() ?? '';
    const isSave = route.request().method() === 'PUT' && /"(?:version|revision|updatedAt|before)":/.test(sent);
    if (!isSave || isOver) return route.fallback();
    isOver = true;
    const changed = sent.replace(`:"${mine}"`, `:"${theirs}"`).replace(`:${mine},`, `:${theirs},`).replace(`[${mine},`, `[${theirs},`);
    const first = await route.fetch({ postData: changed });
    expect(first.ok(), await first.text()).toBe(true);
    return route.fallback();
  });
}

/** Goes to an address of the console without loading it again: over an open drawer no link can be clicked. */
async function goWithin(address: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState({ idx: 0, key: to }, '', to);
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  }, address);
  await expect(page).toHaveURL(address);
  await settled(page);
}

/** `isAbove`: the form stays open above the pages. */
async function leaveAndReturn(form: Locator, isAbove: boolean): Promise<void> {
  const own = page.url();
  const other = own.includes('/dashboard') ? 'assets/supplier-management' : 'dashboard';
  await goWithin(`${headEnd.address}/hes/${other}`);
  if (!isAbove) await expect(form).toBeHidden();
  await goWithin(own);
}

const makeRecords = () =>
  inDatabase(headEnd, async (pool) => {
    const idOf = async (statement: string) => String((await pool.query<{ id: string }>(statement)).rows[0]?.id);
    made['frame'] = await idOf(`insert into dcu_frame_log (dcu_id, at, direction, channel, service, octets)
      values (1, now(), 'down', 'D', 'getRequest', '\\x0001000100010003c00181') returning id`);
    made['event'] = await idOf(`insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, source, dedup_hash)
      select 'meter', id, dcu_id, 'standard', 1, now(), 'occur', '', 'pull', '\\x00' from meter where dcu_id is not null order by id limit 1 returning id`);
    made['template'] = await idOf(`insert into southbound_profile (key, name, device_kind, body)
      select 'own', 'Own', 'meter', body from southbound_profile where device_kind = 'meter' order by id limit 1 returning id`);
    made['keyless'] = await idOf(
      `insert into dcu (sn, name, dcu_type_id) select 'KEYLESS01', 'Keyless', min(id) from dcu_type returning id`,
    );
    await pool.query(`insert into sender (name, kind, settings, ref, secret, contents, is_paused)
      values ('billing', 'webhook', '{"url": "https://example.com/"}', gen_random_uuid(), '\\x00', '{events}', true)`);
    const config = {
      host: 'mail.example.com',
      port: 587,
      security: 'starttls',
      from: 'hes@example.com',
      username: '',
      ca: '',
      template: '',
      locale: 'en-US',
      consoleUrl: '',
    };
    const channelId = await idOf(`insert into alarm_channel (name, kind, config, ref, target, secret)
      values ('mail', 'email', '${JSON.stringify(config)}', gen_random_uuid(), 'mail.example.com:587', '\\x00') returning id`);
    await pool.query("insert into alarm_recipient (name, email, locale) values ('Duty', 'duty@example.com', 'en-US')");
    const criteria = {
      sources: ['device'],
      levels: ['serious'],
      codes: [],
      levelIds: [],
      activeFrom: '',
      activeTo: '',
      quietFrom: '',
      quietTo: '',
    };
    const pace = { quietBreaks: [], gatherSeconds: 30, calmMinutes: 60, repeatMinutes: 0, digestAt: '06:00' };
    await pool.query(`insert into alarm_rule (name, kind, criteria, steps) values ('night', 'alarm', $1, $2)`, [
      JSON.stringify({ ...criteria, ...pace }),
      JSON.stringify([{ afterMinutes: 0, channelId, recipientIds: [] }]),
    ]);
    made['program'] = await idOf(
      `insert into app_user (username, name, password_hash, kind) values ('mdm-import', 'Meter data', 'none', 'program') returning id`,
    );
    await pool.query("insert into user_role (user_id, role_id) select $1, id from role where code = 'DATA_ENGINEER'", [made['program']]);
    made['level'] = await idOf('select id from network_level order by id limit 1');
    // Firmware is changed by another role than that of administrators.
    await pool.query(
      `insert into user_role (user_id, role_id) select u.id, r.id from app_user u, role r where u.username = 'admin' and r.code = 'FW_ENGINEER'`,
    );
    await pool.query(`insert into anomaly (meter_id, day, type, value_kwh, reference_kwh)
      select id, current_date - n, 'upper_limit', n, 1 from meter, generate_series(1, 31) n where not is_master limit 310 on conflict do nothing`);
    await pool.query(`with x as (insert into firmware_file (name, size, sha256, format) values ('x.bin', 1, 'x', 'bin') returning id)
      insert into firmware (name, version, upgrade_protocol, supplier_id, target_kind, type_ids, image_identifier, block_size, upgrade_reason, file_provider, file_id,
        created_by, touched_by)
      select 'Own', '1', 'dlms_image', (select min(id) from supplier), 'meter', array[(select min(id) from meter_type)], 'x', 256, 'x', 'x', x.id, 0, '{0}' from x`);
  });

test('every editor is reached', () => {
  expect(EDITORS.length).toBeGreaterThan(20);
  expect(EDITORS.map(({ kind }) => kind)).toEqual(Object.keys(WAYS).toSorted((a, b) => a.localeCompare(b)));
});

for (const { kind, isVersioned } of EDITORS)
  test(`${kind}: input stays while another page is shown, leaving asks once${isVersioned ? ', and a conflict is shown and settled' : ''}`, async () => {
    const way = WAYS[kind];
    if (way === undefined) throw new Error(`no way to the editor of ${kind}`);
    await page.goto(`${headEnd.address}/hes/${way.address()}`);
    await settled(page);
    await way.open();
    const typed = page.locator('textarea, [role="spinbutton"], [role="checkbox"], input:not([role="combobox"])');
    const form = page
      .locator(`${way.within ?? ''} form[data-editor="${kind}"]`)
      .filter({ has: typed })
      .first();
    await expect(form).toBeVisible();
    await settled(page);
    const { field, mine, theirs } = await fieldOf(form);
    const isAbove = kind === 'profile';
    const isBox = kind === 'role-permissions';
    const box = form.getByRole('checkbox', { disabled: false }).last();
    const wasOn = isBox && (await box.isChecked());
    const type = async () => (isBox ? box.click() : field.fill(mine));
    const expectInput = async () =>
      isBox ? expect(box).toBeChecked({ checked: !wasOn }) : expect(field).toHaveValue(new RegExp(`^${mine}(?:\\.0+)?$`, 'i'));
    const drawer = page.getByRole('dialog').filter({ has: form });

    await test.step('type – leave – return', async () => {
      await type();
      await leaveAndReturn(form, isAbove);
      if (!(await form.isVisible())) await way.open();
      await expectInput();
      if (!isAbove) await expect(form).toContainText('Your unsaved input is restored');
    });

    if (way.open !== INLINE.open)
      await test.step('leaving asks once', async () => {
        await drawer.getByRole('button', { name: 'Cancel' }).click();
        const question = page.getByRole('dialog', { name: 'Leave without saving?' });
        await expect(question).toHaveCount(1);
        await question.getByRole('button', { name: 'Cancel' }).click();
        await expectInput();
      });

    if (isVersioned)
      await test.step('type – stale – settle', async () => {
        await overtakeOnce(mine, theirs);
        await form.evaluate((element: HTMLFormElement) => element.requestSubmit());
        const conflict = form.getByRole('alert', { name: 'Another user saved first' });
        await expect(conflict).toBeVisible();
        if (!isBox) await expect(conflict).toContainText(theirs);
        await expectInput();
        await page.unroute('**/api/**');
        await form.evaluate((element: HTMLFormElement) => element.requestSubmit());
        await expect(conflict).toBeHidden();
      });
  });
