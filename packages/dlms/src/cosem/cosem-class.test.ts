import { expectTypeOf, it } from 'vitest';
import type { Data } from './data-value.ts';
import type { CosemDateTime } from './date-time.ts';
import type { AttributeName, AttributeValue, MethodArgument, MethodName } from './cosem-class.ts';
import type { clock } from './classes/clock.ts';
import type { disconnectControl } from './classes/disconnect-control.ts';
import type { profileGeneric } from './classes/profile-generic.ts';
import type { register } from './classes/register.ts';
import type { Obis } from './obis.ts';

it('the declaration of a class gives the types of its attributes and methods', () => {
  expectTypeOf<AttributeValue<typeof register, 'scalerUnit'>>().toEqualTypeOf<{ scaler: number; unit: number }>();
  expectTypeOf<AttributeValue<typeof register, 'value'>>().toEqualTypeOf<Data>();
  expectTypeOf<AttributeValue<typeof clock, 'time'>>().toEqualTypeOf<CosemDateTime>();
  expectTypeOf<AttributeValue<typeof clock, 'logicalName'>>().toEqualTypeOf<Obis>();
  expectTypeOf<AttributeValue<typeof profileGeneric, 'captureObjects'>[number]['dataIndex']>().toEqualTypeOf<number>();
  expectTypeOf<AttributeValue<typeof disconnectControl, 'controlState'>>().toEqualTypeOf<
    'disconnected' | 'connected' | 'readyForReconnection'
  >();
  expectTypeOf<AttributeName<typeof disconnectControl>>().toEqualTypeOf<'logicalName' | 'outputState' | 'controlState' | 'controlMode'>();
  expectTypeOf<MethodName<typeof disconnectControl>>().toEqualTypeOf<'remoteDisconnect' | 'remoteReconnect'>();
  expectTypeOf<MethodArgument<typeof clock, 'shiftTime'>>().toEqualTypeOf<number>();
});
