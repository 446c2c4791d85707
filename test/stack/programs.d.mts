/** The series that there are programs of. */
export const series: readonly string[];

/** The folder with the programs and those of the sources, or null and the reason why there are none. */
export function stackPrograms(
  wanted: string,
  options?: { readonly log?: (line: string) => void; readonly env?: NodeJS.ProcessEnv },
):
  | { readonly folder: string; readonly sources: string; readonly testSources: string; readonly reason: null }
  | { readonly folder: null; readonly sources: null; readonly testSources: null; readonly reason: string };
