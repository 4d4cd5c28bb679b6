import { program } from '@hes/contract/manager/program.ts';
import { implement } from '#http/implement.ts';
import { listPrograms } from './queries.ts';
import { changeProgram, createProgram, createToken, getProgram, revokeToken } from './service.ts';

export const programRoutes = implement(program, {
  list: ({ ctx, user, query }) => listPrograms(ctx.db, user, query, new Date(ctx.clock.now())),
  get: ({ ctx, user, params }) => getProgram(ctx, user, params.id),
  create: ({ ctx, user, body, wire }) => createProgram(ctx, { user, ip: wire.ip }, body),
  update: ({ ctx, user, params, body, wire }) => changeProgram(ctx, { user, ip: wire.ip }, { ...params, ...body }),
  createToken: ({ ctx, user, params, body, wire }) => createToken(ctx, { user, ip: wire.ip }, { ...params, ...body }),
  revokeToken: ({ ctx, user, params, wire }) => revokeToken(ctx, { user, ip: wire.ip }, params),
});
