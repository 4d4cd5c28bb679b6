import { expect, type Locator, type Page } from '@playwright/test';
import { choose } from './choose.ts';
import { askControl, type HeadEnd } from './head-end.ts';

const OCTETS = 6000;

export interface NewFirmware {
  version: string;
  /** Names of the compatible types. */
  types: readonly string[];
}

/** Fills the open form of a firmware with an image of the fleet's meters, and saves it. */
export async function addFirmware(page: Page, headEnd: HeadEnd, form: Locator, { version, types }: NewFirmware): Promise<void> {
  const image = await askControl(headEnd, `/image?model=HES-MP&version=${encodeURIComponent(version)}&octets=${OCTETS}`);
  const { base64 } = (await image.json()) as { base64: string }; // as: the type of the response
  const chooser = page.waitForEvent('filechooser');
  await form.getByRole('button', { name: 'Choose file' }).click();
  await (await chooser).setFiles({ name: 'plc-meter.bin', mimeType: 'application/octet-stream', buffer: Buffer.from(base64, 'base64') });
  await expect(form.getByText(/^[0-9a-f]{64}$/)).toBeVisible();
  await form.getByLabel('Name', { exact: false }).first().fill('PLC meter');
  await form.getByRole('textbox', { name: 'Version' }).fill(version);
  await choose(page, form.getByRole('combobox', { name: 'Manufacturer' }), /./);
  for (const type of types) await choose(page, form.getByRole('combobox', { name: 'Compatible types' }), type);
  await page.keyboard.press('Escape');
  await form.getByRole('textbox', { name: 'Image identifier' }).fill('HES-MP-910');
  await form.getByRole('textbox', { name: 'File provider' }).fill('The factory');
  await form.getByRole('textbox', { name: 'Upgrade reason' }).fill('Profiles keep their seconds');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toBeHidden();
}
