import { encodeNotification, type Notification } from '../association/notification.ts';
import { unconfirmedBlocks } from '../association/block-stream.ts';
import { encode } from '../codec/codec.ts';
import type { CaptureObject } from '../cosem/capture-object.ts';
import { pushSetup } from '../cosem/classes/push-setup.ts';
import type { AttributeValue } from '../cosem/cosem-class.ts';
import { dataCodec } from '../cosem/data.ts';
import type { Data } from '../cosem/data-value.ts';
import type { CosemDateTime } from '../cosem/date-time.ts';
import type { ObjectModel } from './object-model.ts';
import { serverObject, type DescribedObject, type MethodOutcome, type ObjectOptions } from './server-object.ts';

type Destination = AttributeValue<typeof pushSetup, 'sendDestinationAndMethod'>;
const LAST_LONG_INVOKE_ID = 0xff_ffff;
const AXDR: Destination = { transportService: 0, destination: new Uint8Array(0), message: 'axdrEncoded' };

export interface PushOptions {
  list: readonly CaptureObject[];
  destination?: Destination;
  /** Octets of the largest APDU the receiver accepts; longer ones are sent in unconfirmed blocks. */
  maxPduSize: number;
  /** Device time, for pushes that carry one. */
  now?(): CosemDateTime;
  protection?(): Notification['protection'];
  /** Sends the APDUs of one push, in order. */
  send(apdus: Uint8Array[], destination: Destination): void;
}

/** Pushes the values of a list of attributes as one DATA-NOTIFICATION. */
export class Push {
  readonly #model: ObjectModel;
  readonly #options: PushOptions;
  list: readonly CaptureObject[];
  destination: Destination;
  #longInvokeId = 0;

  constructor(model: ObjectModel, options: PushOptions) {
    this.#model = model;
    this.#options = options;
    this.list = options.list;
    this.destination = options.destination ?? AXDR;
  }

  /** Sends the current values; an unreadable one becomes null-data. */
  push(): MethodOutcome {
    const { now, protection, maxPduSize, send } = this.#options;
    const values = this.list.map(({ classId, instance, attributeId }): Data => {
      const value = this.#model.value(classId, instance, attributeId);
      return typeof value === 'string' ? { type: 'null' } : value;
    });
    this.#longInvokeId = (this.#longInvokeId + 1) & LAST_LONG_INVOKE_ID;
    const sealed = protection?.();
    const moment = now?.();
    const apdu = encodeNotification({
      longInvokeId: this.#longInvokeId,
      ...(moment === undefined ? {} : { dateTime: moment }),
      body: encode(dataCodec, { type: 'structure', value: values }),
      ...(sealed === undefined ? {} : { protection: sealed }),
    });
    send(unconfirmedBlocks(apdu, maxPduSize), this.destination);
    return 'success';
  }
}

export const pushObject = (push: Push, options: ObjectOptions): DescribedObject =>
  serverObject(
    pushSetup,
    {
      read: {
        pushObjectList: () => [...push.list],
        sendDestinationAndMethod: () => push.destination,
        communicationWindow: () => [],
        randomisationStartInterval: () => 0,
        numberOfRetries: () => 0,
        repetitionDelay: () => 0,
      },
      write: {
        pushObjectList: (list) => void (push.list = list),
        sendDestinationAndMethod: (destination) => void (push.destination = destination),
      },
      invoke: { push: () => push.push() },
    },
    options,
  );
