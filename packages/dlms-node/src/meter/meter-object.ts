import { decode, encode } from '@hes/dlms/codec/codec.ts';
import type {
  AttributeName,
  AttributeValue,
  CosemClass,
  Method,
  MethodArgument,
  MethodName,
  MethodResult,
} from '@hes/dlms/cosem/cosem-class.ts';
import type { ClientAssociation } from '@hes/dlms/association/client.ts';
import type { ReadResult } from '@hes/dlms/association/client-services.ts';
import type { UnconfirmedRequest } from '@hes/dlms/association/client-unconfirmed.ts';
import type { Exchange } from '@hes/dlms/association/exchange.ts';
import { attributeRef, codecOf, methodRef, type CosemObject } from '@hes/dlms/xdlms/cosem-object.ts';
import { denied, explaining, meterErrorOf } from './meter-error.ts';

/** The part of a meter that its objects use. */
export interface ObjectHost {
  readonly association: ClientAssociation;
  /** The connection, for requests without response. */
  readonly session: { send(apdu: Uint8Array): void };
  run<T>(exchange: Exchange<T>): Promise<T>;
}

/** Most methods without a parameter take integer 0, which may be omitted. */
type Argument<A> = number extends A ? [argument?: A] : [argument: A];

/** One object of a meter, typed by its class: names are completed, values are checked by the compiler. Fails with `MeterError`. */
export class MeterObject<C extends CosemClass> implements CosemObject<C> {
  readonly cosemClass: C;
  readonly instance: CosemObject<C>['instance'];
  readonly #host: ObjectHost;

  constructor(host: ObjectHost, { cosemClass, instance }: CosemObject<C>) {
    this.#host = host;
    this.cosemClass = cosemClass;
    this.instance = instance;
  }

  #subject(name: string): string {
    return `${this.cosemClass.name} ${this.instance} ${name}`;
  }

  /** Reads one attribute. */
  async get<N extends AttributeName<C>>(name: N): Promise<AttributeValue<C, N>> {
    const { association } = this.#host;
    return this.#valueOf(name, await this.#host.run(association.get(attributeRef(this, name))));
  }

  /** Reads several attributes, in one request if the meter allows it. Fails if one of them cannot be read. */
  async getAll<N extends AttributeName<C>>(...names: readonly N[]): Promise<{ [K in N]: AttributeValue<C, K> }> {
    const { association } = this.#host;
    const answers = await this.#host.run(association.getList(names.map((name) => attributeRef(this, name))));
    const values = answers.map((answer, index): [N, unknown] => {
      const name = names[index] as N; // as: one answer for each name
      return [name, this.#valueOf(name, answer)];
    });
    return Object.fromEntries(values) as { [K in N]: AttributeValue<C, K> }; // as: decoded by their codecs
  }

  #valueOf<N extends AttributeName<C>>(name: N, answer: ReadResult): AttributeValue<C, N> {
    if (!answer.ok) throw denied(this.#subject(name), answer.result);
    try {
      return decode(codecOf(this.cosemClass, name), answer.data);
    } catch (error) {
      throw meterErrorOf(error, this.#subject(name));
    }
  }

  /** Writes one attribute. */
  async set<N extends AttributeName<C>>(name: N, value: AttributeValue<C, N>): Promise<void> {
    const { association } = this.#host;
    const subject = this.#subject(name);
    await explaining(subject, async () => {
      const answer = await this.#host.run(association.set(attributeRef(this, name), encode(codecOf(this.cosemClass, name), value)));
      if (!answer.ok) throw denied(subject, answer.result);
    });
  }

  /** Writes one attribute without awaiting a response: the result shows only in a later read. */
  async setUnconfirmed<N extends AttributeName<C>>(name: N, value: AttributeValue<C, N>): Promise<'sent'> {
    return await explaining(this.#subject(name), async () => {
      const data = encode(codecOf(this.cosemClass, name), value);
      return await this.#send({ set: { ref: attributeRef(this, name), data } });
    });
  }

  /** Invokes a method without awaiting a response. */
  async invokeUnconfirmed<N extends MethodName<C>>(name: N, ...[argument]: Argument<MethodArgument<C, N>>): Promise<'sent'> {
    const { argument: codec } = this.cosemClass.methods[name] as Method<unknown, unknown>; // as: a name of the class
    return await explaining(this.#subject(name), async () => {
      return await this.#send({ invoke: { ref: methodRef(this, name), argument: encode(codec, argument ?? 0) } });
    });
  }

  async #send(request: UnconfirmedRequest): Promise<'sent'> {
    const { association, session } = this.#host;
    const target = { classId: this.cosemClass.id, instance: this.instance };
    if (!association.isLocated(target)) await this.#host.run(association.locate([target]));
    session.send(association.buildUnconfirmed(request));
    return 'sent';
  }

  /** Invokes a method and returns its result, if it has one. */
  async invoke<N extends MethodName<C>>(name: N, ...[argument]: Argument<MethodArgument<C, N>>): Promise<MethodResult<C, N>> {
    const { association } = this.#host;
    const subject = this.#subject(name);
    const { argument: codec, result } = this.cosemClass.methods[name] as Method<unknown, unknown>; // as: a name of the class
    return await explaining(subject, async () => {
      const answer = await this.#host.run(association.invoke(methodRef(this, name), encode(codec, argument ?? 0)));
      if (!answer.ok) throw denied(subject, answer.result);
      const value = result === undefined || answer.data === undefined ? undefined : decode(result, answer.data);
      return value as MethodResult<C, N>; // as: decoded by its codec
    });
  }
}
