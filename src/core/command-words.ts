import {reportError} from './error.ts';
import {shellLine} from './program-name.ts';

/** Where a text is read: in the app or in a shell. */
export type CommandPlace = 'app' | 'shell';

/**
 * Rewrites the commands in a hint for one place. Hints name them in backticks: `keys set` is /keys set in the app; in a
 * shell it follows the name by which the program was called. A command that begins with `$` is always for a shell, and one
 * with `/` for the app: in a shell its sentence says so. `write` writes each command as it is then called.
 */
export function nameCommands(
	hint: string,
	place: CommandPlace,
	write: (command: string) => string = command => command,
): string {
	const told =
		place === 'shell' && hint.includes('`/')
			? hint
					.split(/(?<=[.!?]) /)
					.map(inApp)
					.join(' ')
			: hint;
	return told.replace(
		/`(?:\$(?: ([^`]+))?|(\/?)([a-z][^`]*))`/g,
		(_, shellWords: string = '', slash: string = '', words?: string) =>
			write(slash || (words !== undefined && place === 'app') ? `/${words}` : shellLine(words ?? shellWords)),
	);
}

/** Returns an error of the app and its hint as one line, such as a toast. */
export function errorLine(error: unknown): string {
	const {message, hint} = reportError(error);
	return hint ? `${message} ${nameCommands(hint, 'app')}` : message;
}

/** Returns a sentence that says where its command of the app is typed. */
function inApp(sentence: string): string {
	return sentence.includes('`/')
		? `In the app, ${sentence.replace(/^[A-Z](?=[a-z ])/, first => first.toLowerCase())}`
		: sentence;
}
