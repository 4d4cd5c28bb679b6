import type { ImportedCertificate } from '@hes/contract/asset/certificate.ts';
import { CERTIFICATE_STATE_TEXT, type CertificateState } from '@hes/contract/states/certificate.ts';
import type { Sign } from '#kit/state/sign.ts';
import { texts } from './messages.ts';

export const CERTIFICATE: Record<CertificateState, Sign> = {
  valid: { shape: 'tick', tone: 'ok', text: CERTIFICATE_STATE_TEXT.valid, quiet: true },
  expiring: { shape: 'ring!', tone: 'amber', text: CERTIFICATE_STATE_TEXT.expiring },
  expired: { shape: 'cross', tone: 'red', text: CERTIFICATE_STATE_TEXT.expired },
  not_yet_valid: { shape: 'clock', tone: 'none', text: CERTIFICATE_STATE_TEXT.not_yet_valid },
  waiting: { shape: 'clock', tone: 'wait', text: CERTIFICATE_STATE_TEXT.waiting },
};

export const VERDICT: Record<ImportedCertificate['verdict'], Sign> = {
  new: { shape: 'disc', tone: 'ok', text: texts.wasAdded, quiet: true },
  unchanged: { shape: 'dashed', tone: 'none', text: texts.wasThere, quiet: true },
  error: { shape: 'cross', tone: 'red', text: texts.wasRefused },
};
