/** The program and the folder of the Cluster API module, or why there are none. */
export function clusterctlPrograms(options?: {
  readonly env?: NodeJS.ProcessEnv;
}):
  | { readonly program: string; readonly moduleFolder: string; readonly reason: null }
  | { readonly program: null; readonly moduleFolder: null; readonly reason: string };
