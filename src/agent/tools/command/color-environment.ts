import type {Environment} from '../../../core/environment.ts';
import {wantsWords} from '../../../terminal/abilities.ts';
import {colorless} from './command-environment.ts';

/** The programs that are told to use colours. */
const known = /^\s*(?:git|ls|tree)(?:\s|$)/;

/**
 * Returns what the environment of a command of the user says about colours. It isn't a terminal that the command writes to,
 * so most programs use none by themselves. They aren't forced to: a variable such as FORCE_COLOR reaches every program below,
 * also one whose output a script reads. A program that is alone in its command and starts no other is. NO_COLOR of the user,
 * a terminal that can't and a screen reader win.
 */
export async function colorEnvironment(command: string, env: Environment): Promise<Readonly<Record<string, string>>> {
	if (env['NO_COLOR'] || env['TERM'] === 'dumb' || wantsWords(env)) {
		return colorless;
	}

	// Every system with terminfo knows this one.
	const term = {TERM: 'xterm-256color'};
	return known.test(command) ? {...term, ...(await forcedFor(command, env))} : term;
}

async function forcedFor(text: string, env: Environment): Promise<Readonly<Record<string, string>>> {
	const [{parseCommand}, {gitCommands}] = await Promise.all([
		import('../../policy/command/parse-command.ts'),
		import('../../policy/command/git/git-commands.ts'),
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
