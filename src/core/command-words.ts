import {shellLine} from './program-name.ts';

/** Where a text is read: at the app's prompt, or in the user's shell. */
export type CommandPlace = 'app' | 'shell';

/**
 * Hints name commands in backticks and leave open how they are typed: `keys set` is /keys set in the app and, in a shell,
 * behind the name by which the program was called. What begins with `$` is always for a shell. This writes
 * them for one place.
 */
export function nameCommands(hint: string, place: CommandPlace): string {
	return hint.replace(/`(?:\$(?: ([^`]+))?|([a-z][^`]*))`/g, (_, shellWords: string = '', words?: string) =>
		words !== undefined && place === 'app' ? `/${words}` : shellLine(words ?? shellWords),
	);
}
