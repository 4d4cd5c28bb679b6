import type { Codec } from '../codec/codec.ts';

export interface Attribute<T> {
  readonly id: number;
  readonly codec: Codec<T>;
}

export interface Method<A, R = null> {
  readonly id: number;
  readonly argument: Codec<A>;
  /** Absent when the method returns no data. */
  readonly result?: Codec<R>;
}

/** An interface class as declared in `classes/`, the single source of ids, types and names. */
export interface CosemClass {
  readonly id: number;
  readonly version: number;
  /** Name in the Blue Book. */
  readonly name: string;
  /**
   * Distance from the base name to the short name of method 1; further methods follow every 8. Undefined: no source states it, so
   * that short names reach the attributes only.
   */
  readonly methodsAt?: number;
  readonly attributes: Readonly<Record<string, Attribute<any>>>; // any: each attribute has its own type, see AttributeValue
  readonly methods: Readonly<Record<string, Method<any, any>>>; // any: each method has its own types, see MethodArgument
}

/** An attribute: its id and the codec of its value. */
export const attribute = <T>(id: number, codec: Codec<T>): Attribute<T> => ({ id, codec });

/** A method: its id, the codec of its argument and, if it returns data, the codec of the result. */
export const method = <A, R = null>(id: number, argument: Codec<A>, result?: Codec<R>): Method<A, R> =>
  result === undefined ? { id, argument } : { id, argument, result };

/** Declares an interface class, from which types and ids are derived. */
export const cosemClass = <const C extends CosemClass>(declaration: C): C => declaration;

/** By convention of the Blue Book the attribute with the value or the content of an object; attribute 1 is its logical name. */
export const MAIN_ATTRIBUTE = 2;

export type AttributeName<C extends CosemClass> = keyof C['attributes'] & string;
export type MethodName<C extends CosemClass> = keyof C['methods'] & string;

/** The type of an attribute's value: `AttributeValue<typeof register, 'scalerUnit'>`. */
export type AttributeValue<C extends CosemClass, Name extends AttributeName<C>> =
  C['attributes'][Name] extends Attribute<infer T> ? T : never;

/** The type of a method's argument. */
export type MethodArgument<C extends CosemClass, Name extends MethodName<C>> = C['methods'][Name] extends Method<infer A, any> ? A : never; // any: the result type is irrelevant here

/** The type of a method's result; void when it returns no data. */
export type MethodResult<C extends CosemClass, Name extends MethodName<C>> =
  C['methods'][Name] extends Method<any, infer R> ? (R extends null ? void : R) : never; // any: the argument type is irrelevant here

/** The name of the attribute with this id. */
export function attributeName(cosemClass: CosemClass, id: number): string | undefined {
  return Object.keys(cosemClass.attributes).find((name) => cosemClass.attributes[name]?.id === id);
}

/** The name of the method with this id. */
export function methodName(cosemClass: CosemClass, id: number): string | undefined {
  return Object.keys(cosemClass.methods).find((name) => cosemClass.methods[name]?.id === id);
}
