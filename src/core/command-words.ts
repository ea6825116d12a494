import {shellLine} from './program-name.ts';

/** Where a text is read: in the app or in a shell. */
export type CommandPlace = 'app' | 'shell';

/**
 * Rewrites the commands in a hint for one place. Hints name them in backticks: `keys set` is /keys set in the app; in a
 * shell it follows the name by which the program was called. A command that begins with `$` is always for a shell.
 */
export function nameCommands(hint: string, place: CommandPlace): string {
	return hint.replace(/`(?:\$(?: ([^`]+))?|([a-z][^`]*))`/g, (_, shellWords: string = '', words?: string) =>
		words !== undefined && place === 'app' ? `/${words}` : shellLine(words ?? shellWords),
	);
}
