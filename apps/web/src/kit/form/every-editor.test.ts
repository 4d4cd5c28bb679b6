import { expect, test } from 'vitest';

/** The parts of the console by their file, without tests. */
const parts = Object.entries(
  import.meta.glob<string>(['/src/**/*.{ts,tsx}', '!/src/**/*.test.*', '!/src/**/*.d.ts'], {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
).map(([file, text]) => ({ file: file.replace('/src/', ''), text }));
const filesWith = (pattern: RegExp): string[] => parts.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

/** Forms before sign-in and dialogs of secrets: their input is never kept. */
const SECRETS = [
  'app/account/edit-password.tsx',
  'domain/second-factor/enrolment.tsx',
  'domain/second-factor/key-forms.tsx',
  'domain/second-factor/removal.tsx',
  'pages/login/second-step.tsx',
  'pages/login/sign-in.tsx',
];
/** Shows a generated password, which another opening generates again. */
const GENERATED = ['pages/system/system-management/user-management/password-dialogs.tsx'];

test('every editor is a FormDrawer or an InlineForm', () => {
  const editors = filesWith(/\buse(?:Record)?Form[(<]/).filter((file) => file !== 'kit/form/use-form.ts');
  expect(editors.length).toBeGreaterThan(25);
  expect(editors.filter((file) => !filesWith(/<(?:FormDrawer|InlineForm)\b/).includes(file))).toEqual(GENERATED);
  expect(filesWith(/<form\b/)).toEqual(['kit/form/form-body.tsx', ...SECRETS].toSorted());
});

test('no page keeps or blocks unsaved input on its own', () => {
  expect(filesWith(/\b(?:useBlocker|unstable_usePrompt|onbeforeunload)\b/)).toEqual([]);
  expect(filesWith(/\bbeforeunload\b/)).toEqual(['app/frame/use-unload-guard.ts']);
  expect(filesWith(/\buseDraft\(/)).toEqual(['kit/form/form-body.tsx', 'kit/form/form-drawer.tsx']);
});

test('no form checks by the body of a route, which the build of the console leaves out', () => {
  expect(filesWith(/form\.check\([\w.]+\.body\b/)).toEqual([]);
});

test('every form of a record that is saved over a version is refilled from the stored record', () => {
  const versioned = parts.filter(({ text }) => /form\.check\([^;]*(?:version|revision|updatedAt|before)\b/.test(text));
  expect(versioned.length).toBeGreaterThan(20);
  for (const { file, text } of versioned) expect([file, /useForm\([^;]+, |useRecordForm\(/.test(text)]).toEqual([file, true]);
});
