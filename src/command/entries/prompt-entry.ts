import * as z from 'zod/mini';
import {command} from '../command.ts';
import type {Command} from '../context.ts';

export type PromptEntry = {
	/** In lower case, as `isEntryName` accepts it. */
	readonly name: string;
	/** One line for help and completion. Untrusted. */
	readonly summary: string;
	/** The arguments as help shows them: `<file> [focus]`. Untrusted. */
	readonly hint?: string | undefined;
	/** Returns the message to send, given what was typed behind the name. Throws `AppError` if there is none. */
	readonly textFor: (typed: string, signal?: AbortSignal) => string | Promise<string>;
};

/** True for a name that can be typed as a slash command. */
export function isEntryName(name: string): boolean {
	return /^[a-z][\w:-]{0,63}$/.test(name);
}

/** Creates a slash command that sends a message to the agent. */
export function promptEntry({name, summary, hint, textFor}: PromptEntry): Command {
	const sent = command({
		name,
		summary,
		args: z.object({arguments: z.optional(z.string())}),
		positional: ['arguments'],
		rest: true,
		takesLine: true,
		...(hint !== undefined && {usage: hint}),
		where: 'app',
		whileRunning: true,

		async run({arguments: typed = ''}, {ui: {live}, signal}) {
			live?.send(await textFor(typed, signal));
			return {kind: 'lines', lines: []};
		},
	});
	return {...sent, textFor};
}
