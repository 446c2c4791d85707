// An item and where it comes from. Types only.

/** An item of the configuration and the field it comes from. */
export interface Sourced<T> {
  readonly field: string;
  readonly item: T;
}
