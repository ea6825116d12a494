import type {Environment} from '../core/environment.ts';
import {keyVariables} from '../core/model.ts';
import {type RedrawnOutput, toRecorded} from '../core/output/recorded-output.ts';
import type {StyleRange} from '../core/output/text-styles.ts';
import type {CommandEnd} from '../core/session/user-events.ts';
import {wantsWords} from '../terminal/abilities.ts';
import {folderValues} from './secret-values/folder-values.ts';
import {colorless, unattended} from './tools/command/command-environment.ts';
import {createCommandOutput} from './tools/command/command-output.ts';
import {describeEnd} from './tools/command/describe-end.ts';
import {findShell} from './tools/command/find-shell.ts';
import type {Foreground} from './tools/command/foreground.ts';
import {movedText} from './tools/command/jobs.ts';
import {createLiveOutput} from './tools/command/live-output.ts';
import {startCommand} from './tools/command/start-command.ts';

type Options = {
	/** Where it runs, an absolute path. */
	readonly folder: string;
	/** Ends it. */
	readonly signal: AbortSignal;
	/** Shows a piece of output while it runs. */
	readonly onOutput: (text: string, styles: readonly StyleRange[], redrawn?: RedrawnOutput) => void;
};

/** Runs a command that the user typed, and resolves when it has ended or is a job. Throws AppError("failed") if the shell can't start. */
export type UserShell = (command: string, options: Options) => Promise<CommandEnd>;

const maxProcesses = 4096;

/**
 * Creates what runs commands of the user: in their own shell and environment, without a sandbox and unasked, because they
 * typed them. Keys of this program are left out of the environment (SAFETY 8). There is no terminal to answer in. The
 * output is limited and masked as that of `run_command`, because the model will read it.
 */
export function createUserShell(env: Environment, foreground: Foreground): UserShell {
	const own = new Set(['SERVICE_API_KEY', ...Object.values(keyVariables).flat()]);
	return async (command, {folder, signal, onOutput}) => {
		signal.throwIfAborted();
		const secrets = await folderValues(folder);
		const colors = await colorEnvironment(command, env);
		const live = createLiveOutput({onOutput, secrets});
		const output = createCommandOutput({openFile: () => undefined, secrets, onText: live.add});
		const startedAt = performance.now();
		const running = startCommand({
			command,
			folder,
			maxProcesses,
			onData: output.add,
			shell: env['SHELL']?.startsWith('/') ? env['SHELL'] : findShell(),
			env: {...environmentOf(env, own), ...unattended, ...colors},
		});
		const started = {...running, ended: running.ended.finally(output.close), output, withheld: undefined};
		try {
			const {ended, job} = await foreground.wait({command, started, signal});
			const milliseconds = Math.round(performance.now() - startedAt);
			const recorded = toRecorded(output.take());
			if (job) {
				return {...recorded, end: movedText(job), status: 'done', milliseconds};
			}

			const finish = {...ended, milliseconds, ...(signal.aborted && {stoppedBy: 'user' as const})};
			return {
				...recorded,
				end: describeEnd(finish),
				status: signal.aborted ? 'interrupted' : ended.status === 0 ? 'done' : 'failed',
				milliseconds,
			};
		} finally {
			live.end();
		}
	};
}

function environmentOf(env: Environment, without: ReadonlySet<string>): Readonly<Record<string, string>> {
	const kept: Record<string, string> = {};
	for (const [name, value] of Object.entries(env)) {
		if (value !== undefined && !without.has(name)) {
			kept[name] = value;
		}
	}

	return kept;
}

/** The programs that are told to use colours. */
const known = /^\s*(?:git|ls|tree)(?:\s|$)/;

/**
 * Returns what the environment of a command of the user says about colours. It isn't a terminal that the command writes to,
 * so most programs use none by themselves. They aren't forced to: a variable such as FORCE_COLOR reaches every program below,
 * also one whose output a script reads. A program that is alone in its command and starts no other is. NO_COLOR of the user,
 * a terminal that can't and a screen reader win.
 */
async function colorEnvironment(command: string, env: Environment): Promise<Readonly<Record<string, string>>> {
	if (env['NO_COLOR'] || env['TERM'] === 'dumb' || wantsWords(env)) {
		return colorless;
	}

	// Every system with terminfo knows this one.
	const term = {TERM: 'xterm-256color'};
	return known.test(command) ? {...term, ...(await forcedFor(command, env))} : term;
}

async function forcedFor(text: string, env: Environment): Promise<Readonly<Record<string, string>>> {
	const [{parseCommand}, {gitCommands}] = await Promise.all([
		import('./policy/command/parse-command.ts'),
		import('./policy/command/git/git-commands.ts'),
	]);
	const parsed = parseCommand(text);
	const [command, ...others] = 'commands' in parsed ? parsed.commands : [];
	if (!command || others.length > 0 || command.redirections.length > 0) {
		return {};
	}

	const [program, subcommand] = command.words;
	if (program.value !== 'git') {
		return {CLICOLOR_FORCE: '1'};
	}

	return Object.hasOwn(gitCommands, subcommand?.value ?? '') ? gitColors(env) : {};
}

/** Returns the setting of git, behind those that the user's environment has. */
function gitColors({GIT_CONFIG_COUNT: given = ''}: Environment): Readonly<Record<string, string>> {
	const index = /^\d{1,3}$/.test(given) ? Number(given) : 0;
	return {
		GIT_CONFIG_COUNT: String(index + 1),
		[`GIT_CONFIG_KEY_${index}`]: 'color.ui',
		[`GIT_CONFIG_VALUE_${index}`]: 'always',
	};
}
