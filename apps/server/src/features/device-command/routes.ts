import { deviceCommand, type CommandRoute } from '@hes/contract/action/device-command.ts';
import { COMMAND_KINDS } from '@hes/contract/orders/every-order.ts';
import { implement, type Handler, type Implemented } from '#http/implement.ts';
import { orderCommand } from './service.ts';

const handlers = Object.fromEntries(
  COMMAND_KINDS.map((kind): [string, Handler<CommandRoute>] => [
    kind,
    ({ ctx, user, body, wire }) => orderCommand(ctx, { user, ip: wire.ip }, kind, body),
  ]),
);

export const deviceCommandRoutes: Implemented[] = implement(deviceCommand, handlers);
