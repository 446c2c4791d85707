// The small figures: how fast the parts are by themselves.

/** One figure. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** Measures them one after the other. */
export async function runMicro(note: (text: string) => void): Promise<readonly Figure[]> {
  note('micro');
  return [];
}
