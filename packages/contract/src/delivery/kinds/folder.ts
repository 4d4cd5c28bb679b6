import { z } from 'zod';
import { contentsOfFormat, fileFields, fileSettings, START_OF_FILES } from './files.ts';
import { senderKind } from './kind.ts';

/** Names of letters, digits, hyphens and underscores, so that none leads out of the folder of the installation. */
const place = z
  .string()
  .trim()
  .max(255)
  .regex(/^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/);

/** Files in a folder of the server or of a share that is mounted there. */
export const folder = senderKind({
  name: { en: 'Folder', zh: '文件夹' },
  about: {
    en: 'Files below HES_DELIVERY_FOLDER of the server. A file that is being written has a name that begins with a dot.',
    zh: '写入服务器 HES_DELIVERY_FOLDER 之下的文件；写入中的文件名以点号开头。',
  },
  settings: z.object({ folder: place, ...fileSettings }),
  secrets: z.object({}),
  fields: {
    folder: {
      label: { en: 'Folder', zh: '文件夹' },
      help: { en: 'Below HES_DELIVERY_FOLDER; it is created if needed.', zh: '位于 HES_DELIVERY_FOLDER 之下，必要时自动创建。' },
      control: 'code',
      isRequired: true,
    },
    ...fileFields,
  },
  start: { folder: '', ...START_OF_FILES },
  target: ({ folder: at, format }) => `${at}/*.${format === 'cim' ? 'xml' : 'csv'}`,
  receiver: ({ folder: at }) => at,
  contents: contentsOfFormat,
});
