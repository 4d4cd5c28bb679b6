import { exchange } from '@hes/contract/asset/exchange.ts';
import { implement, type Implemented } from '#http/implement.ts';
import { addPhoto, getPhoto } from './service.ts';

export const exchangeRoutes: Implemented[] = implement(exchange, {
  addPhoto: ({ ctx, user, wire, params, body }) => addPhoto(ctx, { user, ip: wire.ip }, params.id, body),
  photo: ({ ctx, user, params }) => getPhoto(ctx, user, params.id),
});
