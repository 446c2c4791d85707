// The small language in which the API is described once.
//
// A description is a plain value that carries the OpenAPI node that goes into a CustomResourceDefinition, how the value is
// written on the wire, and (for the compiler only) its TypeScript type. Types, CRDs and wire form cannot disagree.
// It says what a structural schema can say and nothing else; it does not validate: the API server does that.
//
//   S1. Every described field has a documentation text.
//   S2. A property is optional unless it is wrapped in `required`.
//   S3. The order of properties is the order in which they are written and quoted in error messages.

/** One node of a structural OpenAPI v3 schema, as a CustomResourceDefinition holds it. */
export interface OpenApiNode {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly description?: string;
  readonly properties?: Readonly<Record<string, OpenApiNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: OpenApiNode;
  readonly items?: OpenApiNode;
  readonly anyOf?: readonly OpenApiNode[];
  readonly enum?: readonly string[];
  readonly default?: string | boolean;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic';
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
}

/** A validation rule in the Common Expression Language, with the text a user sees when it is broken. */
export interface CelRule {
  readonly message: string;
  readonly rule: string;
}

/**
 * When a property is written to the wire. `filled`: when it is not empty (`""`, 0, false, [], {}); `set`: when it is set,
 * even to an empty value; `always`: also when it is not set, as its empty value.
 */
export type Presence = 'filled' | 'set' | 'always';

/** What is known of a described value at run time. */
export interface Description {
  readonly openApi: OpenApiNode;
  readonly isRequired: boolean;
  readonly presence: Presence;
  /** Of an object: its properties. */
  readonly properties?: Properties;
  /** Of a list: what its items are. Of a dictionary: what its values are. */
  readonly items?: Description;
  /** Of a text with a form of its own: brings it into that form, or says what is wrong with it. */
  readonly normalise?: Normaliser;
}

/** Brings a text into its one written form. */
export type Normaliser = (text: string) => { readonly text: string } | { readonly problem: string };

/** A described value with its type, which exists at compile time only. */
export interface Schema<T, R extends boolean = boolean> extends Description {
  readonly isRequired: R;
  readonly typed?: (value: T) => T;
}

/** The TypeScript type that a description describes. */
export type TypeOf<S> = S extends { readonly typed?: (value: infer T) => unknown } ? T : never;

/** The properties of a described object, by name. */
export type Properties = Readonly<Record<string, Description>>;

type RequiredNames<P> = { [K in keyof P]: P[K] extends { readonly isRequired: true } ? K : never }[keyof P];
type Flat<T> = { [K in keyof T]: T[K] };

/** The TypeScript type of an object with these properties. */
export type ObjectOf<P> = Flat<
  { readonly [K in RequiredNames<P>]: TypeOf<P[K]> } & {
    readonly [K in Exclude<keyof P, RequiredNames<P>>]?: TypeOf<P[K]>;
  }
>;

type Keywords = Omit<OpenApiNode, 'type' | 'description' | 'properties' | 'required' | 'items' | 'enum'>;

const optional = <T>(openApi: OpenApiNode, more: Partial<Description> = {}): Schema<T, false> => ({
  presence: 'filled',
  ...more,
  openApi,
  isRequired: false,
});

/** Marks a property that its parent object must have. */
export const required = <T>(schema: Schema<T>): Schema<T, true> => ({ ...schema, isRequired: true });

/** Marks a property whose empty value means something else than its absence. */
export const evenEmpty = <T, R extends boolean>(schema: Schema<T, R>): Schema<T, R> => ({ ...schema, presence: 'set' });

/** Marks a property that is always written. */
export const always = <T, R extends boolean>(schema: Schema<T, R>): Schema<T, R> => ({ ...schema, presence: 'always' });

/** Marks a truth value of which false means the same as absence. */
export const unlessFalse = <R extends boolean>(schema: Schema<boolean, R>): Schema<boolean, R> => ({
  ...schema,
  presence: 'filled',
});

/** Gives a text a form of its own. */
export const inForm = <T, R extends boolean>(schema: Schema<T, R>, normalise: Normaliser): Schema<T, R> => ({
  ...schema,
  normalise,
});

/** A string. */
export const text = (description: string, keywords: Keywords = {}): Schema<string, false> =>
  optional({ type: 'string', description, ...keywords });

/** A string that is one of a closed list. */
export const oneOf = <const T extends string>(description: string, values: readonly T[]): Schema<T, false> =>
  optional({ type: 'string', description, enum: values });

/** A whole number of 32 bits. */
export const int32 = (description: string, keywords: Keywords = {}): Schema<number, false> =>
  optional({ type: 'integer', format: 'int32', description, ...keywords });

/** A whole number of 64 bits. */
export const int64 = (description: string, keywords: Keywords = {}): Schema<number, false> =>
  optional({ type: 'integer', format: 'int64', description, ...keywords });

/** A truth value. False and absent differ. */
export const flag = (description: string, keywords: Keywords = {}): Schema<boolean, false> =>
  optional({ type: 'boolean', description, ...keywords }, { presence: 'set' });

/** Something described by a hand-written node, for the few values the other words cannot say. */
export const raw = <T>(openApi: OpenApiNode): Schema<T, false> => optional(openApi);

/** A list. Its merge strategy and bounds are keywords. */
export const list = <T>(description: string, items: Schema<T>, keywords: Keywords = {}): Schema<readonly T[], false> =>
  optional({ type: 'array', description, items: items.openApi, ...keywords }, { items });

/** An object whose keys are free and whose values are alike. */
export const dictionary = <T>(description: string, values: Schema<T>): Schema<Readonly<Record<string, T>>, false> =>
  optional({ type: 'object', description, additionalProperties: values.openApi }, { items: values });

/** An object with known properties. */
export function object<P extends Properties>(
  description: string,
  properties: P,
  keywords: Keywords = {},
): Schema<ObjectOf<P>, false> {
  const requiredNames = Object.keys(properties)
    .filter((name) => properties[name]?.isRequired)
    .sort();
  const openApi: OpenApiNode = {
    type: 'object',
    description,
    properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, schema.openApi])),
    ...(requiredNames.length > 0 ? { required: requiredNames } : {}),
    ...keywords,
  };
  return optional(openApi, { properties });
}
