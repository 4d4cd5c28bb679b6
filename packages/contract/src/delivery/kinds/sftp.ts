import { z } from 'zod';
import { contentsOfFormat, fileFields, fileSettings, START_OF_FILES } from './files.ts';
import { brokerFields, HOST, hostName, PORT, port, senderKind } from './kind.ts';

/** As `ssh-keygen -l` prints it: base64 of SHA-256 without padding. */
const fingerprint = z
  .string()
  .trim()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/);
const remoteFolder = z
  .string()
  .trim()
  .min(1)
  .max(1024)
  .regex(/^\P{Cc}+$/u);

/** Files on an SFTP server, whose key is pinned. */
export const sftp = senderKind({
  name: { en: 'SFTP', zh: 'SFTP' },
  about: {
    en: 'Files on a server with SFTP. A file that is being written has a name that begins with a dot.',
    zh: '写入 SFTP 服务器的文件；写入中的文件名以点号开头。',
  },
  settings: z.object({
    host: hostName,
    port,
    fingerprint,
    username: z.string().trim().min(1).max(256),
    folder: remoteFolder,
    ...fileSettings,
  }),
  secrets: z.object({ password: z.string().max(1024).default(''), privateKey: z.string().trim().max(16_384).default('') }),
  fields: {
    host: HOST,
    port: PORT,
    fingerprint: {
      label: { en: 'Key Of The Server', zh: '服务器密钥指纹' },
      help: {
        en: 'SHA256:… as ssh-keygen -l prints it. A server with another key gets nothing.',
        zh: 'ssh-keygen -l 输出的 SHA256:…；密钥不符的服务器不会收到任何数据。',
      },
      placeholder: 'SHA256:',
      control: 'code',
      isRequired: true,
    },
    username: { ...brokerFields.username, isRequired: true },
    password: brokerFields.password,
    privateKey: {
      label: { en: 'Private Key', zh: '私钥' },
      help: { en: 'PEM or OpenSSH, without a passphrase; in place of a password.', zh: 'PEM 或 OpenSSH 格式，无口令；可代替密码。' },
      control: 'lines',
    },
    folder: { label: { en: 'Folder', zh: '文件夹' }, control: 'code', isRequired: true },
    ...fileFields,
  },
  start: { host: '', port: 22, fingerprint: '', username: '', folder: '.', ...START_OF_FILES },
  target: ({ host, port: at, folder, format }) => `sftp://${host}:${at}/${folder}/*.${format === 'cim' ? 'xml' : 'csv'}`,
  receiver: ({ host, port: at, fingerprint: key }) => `${host.toLowerCase()}:${at} ${key}`,
  contents: contentsOfFormat,
});
