// The entry of the binary: one subcommand each in a file of its own, loaded only when it is asked for.
//
// A command line that starts with a flag is `run`'s, so that a Deployment written for the Go provider's `/manager` works with
// only the image changed. Exit codes: 0 ok, 1 failed at run time, 2 usage.

import { Command, CommanderError } from 'commander';
import { exitCodeOf, printFailure } from './exit.js';
import { RUN_FLAGS } from './run-flags.js';
import { flagHelp } from './flag-help.js';
import { pflagWords } from './pflag-words.js';
import { versionText } from './version.js';

const SUBCOMMAND_HELP = 'Run "kubeadm-bootstrap-operator <command> --help" for the flags of a command.';

function program(): Command {
  const root = new Command('kubeadm-bootstrap-operator')
    .description('Cluster API kubeadm bootstrap provider in which every KubeadmConfig is a persisted XState actor.')
    .version(versionText('text'), '--version', 'print the version')
    .helpCommand(false)
    .addHelpText('after', `\n${SUBCOMMAND_HELP}`)
    .showSuggestionAfterError(true)
    .exitOverride();
  root
    .command('run')
    .description('run the operator against the cluster of --kubeconfig, $KUBECONFIG or the account of the pod')
    .helpOption(false)
    .allowUnknownOption(true)
    .argument('[flags...]')
    .action(async (_flags, _options, command: Command) => {
      const args = command.args;
      if (args.some((arg) => arg === '--help' || arg === '-h')) {
        process.stdout.write(flagHelp('run', RUN_FLAGS));
        return;
      }
      const { run } = await import('./run.js');
      await run(args);
    });
  return root;
}

async function addSubcommands(root: Command, wanted: string | undefined): Promise<void> {
  const loaders: Readonly<Record<string, () => Promise<Command>>> = {
    demo: async () => (await import('./demo.js')).demoCommand(),
    render: async () => (await import('./render.js')).renderCommand(),
    explain: async () => (await import('./explain.js')).explainCommand(),
    visualize: async () => (await import('./visualize.js')).visualizeCommand(),
    version: async () => (await import('./version.js')).versionCommand(),
  };
  const only = wanted === undefined ? undefined : loaders[wanted];
  for (const load of only === undefined ? Object.values(loaders) : [only]) {
    root.addCommand((await load()).exitOverride().showSuggestionAfterError(true));
  }
}

/** True for a command line without a subcommand that is meant for `run`. */
function isManagerCommandLine(args: readonly string[]): boolean {
  const first = args[0];
  return first !== undefined && first.startsWith('-') && !['--help', '-h', '--version'].includes(first);
}

/** The words as the program takes them: `help X` is `X --help`, and flags alone are `run`'s. */
function commandLine(words: readonly string[]): readonly string[] {
  if (words[0] === 'help') return [...words.slice(1, 2), '--help'];
  return isManagerCommandLine(words) ? ['run', ...words] : words;
}

/** Runs the binary with the words after its name. */
export async function main(words: readonly string[]): Promise<number> {
  const args = commandLine(words);
  try {
    const root = program();
    if (args[0] === 'run') {
      await root.parseAsync(['run', '--', ...args.slice(1)], { from: 'user' });
      return 0;
    }
    await addSubcommands(root, args[0]);
    if (args.length === 0) {
      root.outputHelp({ error: true });
      return 2;
    }
    const command = root.commands.find((each) => each.name() === args[0]);
    const isUnknown = command === undefined && args[0]?.startsWith('-') === false;
    const rest = command === undefined ? args.slice(1, isUnknown ? 1 : undefined) : pflagWords(command, args.slice(1));
    await root.parseAsync([...args.slice(0, 1), ...rest], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    printFailure(error);
    return exitCodeOf(error);
  }
}

// Whoever reads the output has had enough, as in `| head`: nothing went wrong, and folders are still tidied up on exit.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  printFailure(error);
  process.exit(1);
});
// Node would open its debugger on this signal: a port through which any code can be run. Nothing happens instead.
process.on('SIGUSR1', () => undefined);
process.exitCode = await main(process.argv.slice(2));
