import {AppError} from '../core/error.ts';
import {shellWord} from '../core/shell-word.ts';
import type {CommandMatch} from './table.ts';

const begin = 'Start the app with `$`: it begins with a new session.';

/** What to type in a shell instead of commands that the app alone has, by their first word. */
export const insteadInShell: Readonly<Record<string, string>> = {
	clear: begin,
	drive: 'Attach to its session first: `$ attach <session>`',
	logs: 'Show the log of a sandbox: `$ env logs <environment>`',
	new: begin,
	quit: 'End a host with `$ host stop`, and a server with Ctrl+C where it runs.',
};

/** Commands of the app that do nothing in a new session, by their first word. */
export const needSession: readonly string[] = ['compact', 'context', 'copy', 'detach', 'fork', 'pin', 'rewind', 'undo'];

/** Returns the error for a command that works only in the other one of app and shell, with what to type there. */
export function wrongPlace({command, path, rest}: CommandMatch): AppError {
	const line = [path, ...(command.takesLine ? rest : rest.map(shellWord))].join(' ');
	if (command.where === 'shell') {
		return new AppError('usage', `${path} works in a shell only.`, {hint: `Quit with /quit, then run \`$ ${line}\`.`});
	}

	const [name = ''] = path.split(' ');
	const start = needSession.includes(name) ? 'Resume a session with `$ -c`' : 'Start the app with `$`';
	const hint = insteadInShell[name] ?? `${start}, then type /${line}.`;
	return new AppError('usage', `${path} works inside the app only.`, {hint});
}
