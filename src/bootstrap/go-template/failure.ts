// How a template's own mistakes leave the parser and the evaluator: thrown inside this folder, a value outside of it.

/** Carries Go's error text through the recursion. */
export class TemplateFailure extends Error {
  /** The template cannot be parsed, it failed while it ran, or its output could not be written. */
  readonly stage: 'parse' | 'execute';
  constructor(stage: 'parse' | 'execute', message: string) {
    super(message);
    this.name = 'TemplateFailure';
    this.stage = stage;
  }
}
