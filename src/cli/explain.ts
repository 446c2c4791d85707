// `explain KIND/NAME`: placeholder replaced below.
import { Command } from 'commander';
/** The subcommand. */
export function explainCommand(): Command {
  return new Command('explain');
}
