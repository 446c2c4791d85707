// What a cloud-config is put together from. Types only.

/** A part of the output and the field it comes from. */
export interface Piece {
  readonly field: string;
  readonly text: string;
}
