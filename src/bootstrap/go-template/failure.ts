// How a template's own mistakes leave the parser and the evaluator: thrown inside this folder, a value outside of it.

/** Carries Go's error text through the recursion. */
export class TemplateFailure extends Error {
  /** The template cannot be parsed, it failed while it ran, or its output could not be written. */
  readonly stage: 'parse' | 'execute';
  /** The bound that was hit, in words that quote nothing of the template; absent for mistakes. */
  readonly limit?: string;
  constructor(stage: 'parse' | 'execute', message: string, limit?: string) {
    super(message);
    if (limit !== undefined) this.limit = limit;
    this.name = 'TemplateFailure';
    this.stage = stage;
  }
}
