import { webhook } from '@hes/contract/delivery/kinds/webhook.ts';
import { GuardedHttp } from '#platform/guarded-http.ts';
import { BATCH_TYPE } from '../../cloud-events.ts';
import { implementKind } from '../kind.ts';
import { postSigned } from './signed-post.ts';

const BATCH_ITEMS = 100;

export const webhookSender = implementKind(webhook, {
  batchItems: BATCH_ITEMS,
  open({ settings: { url }, secrets: { secret }, networks }) {
    const http = new GuardedHttp();
    return {
      isOpen: () => true,
      send: ({ id, at, events }) =>
        postSigned(http, { url, secret, id, at, contentType: BATCH_TYPE, body: JSON.stringify(events), networks }),
      close: () => http.close(),
    };
  },
});
