import type { Codec } from '../codec/codec.ts';

export interface Attribute<T> {
  readonly id: number;
  readonly codec: Codec<T>;
}

export interface Method<A, R = null> {
  readonly id: number;
  readonly argument: Codec<A>;
  /** Absent: the method returns no data. */
  readonly result?: Codec<R>;
}

/** An interface class as declared in `classes/`: the one place where ids, types and names stand. */
export interface CosemClass {
  readonly id: number;
  readonly version: number;
  /** As the Blue Book calls it. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, Attribute<any>>>; // any: each attribute has its own type, see AttributeValue
  readonly methods: Readonly<Record<string, Method<any, any>>>; // any: each method has its own types, see MethodArgument
}

/** An attribute by its id and the type its value is encoded in. */
export const attribute = <T>(id: number, codec: Codec<T>): Attribute<T> => ({ id, codec });

/** A method by its id, the type of its argument and, if it returns data, the type of that. */
export const method = <A, R = null>(id: number, argument: Codec<A>, result?: Codec<R>): Method<A, R> =>
  result === undefined ? { id, argument } : { id, argument, result };

/** Declares an interface class; everything else is derived from what is written here. */
export const cosemClass = <const C extends CosemClass>(declaration: C): C => declaration;

export type AttributeName<C extends CosemClass> = keyof C['attributes'] & string;
export type MethodName<C extends CosemClass> = keyof C['methods'] & string;

/** The type of an attribute's value: `AttributeValue<typeof register, 'scalerUnit'>`. */
export type AttributeValue<C extends CosemClass, Name extends AttributeName<C>> =
  C['attributes'][Name] extends Attribute<infer T> ? T : never;

/** The type of a method's argument. */
export type MethodArgument<C extends CosemClass, Name extends MethodName<C>> = C['methods'][Name] extends Method<infer A, any> ? A : never; // any: the result does not matter here

/** The name of the attribute with this id. */
export function attributeName(cosemClass: CosemClass, id: number): string | undefined {
  return Object.keys(cosemClass.attributes).find((name) => cosemClass.attributes[name]?.id === id);
}

/** The name of the method with this id. */
export function methodName(cosemClass: CosemClass, id: number): string | undefined {
  return Object.keys(cosemClass.methods).find((name) => cosemClass.methods[name]?.id === id);
}
