import {cutText, headAndTail} from '../../core/cut-text.ts';
import {AppError} from '../../core/error.ts';
import {safeText} from '../../terminal/text/safe-text.ts';
import {wordsOf} from '../skills/prompt-file.ts';
import type {ListedPrompt} from './connection.ts';
import {uniqueId} from './definition.ts';
import {textOf} from './result-text.ts';
import type {Server} from './server.ts';

/** A prompt of a server that runs, which a slash command sends. Its texts are safe to draw, and untrusted. */
export type ServerPrompt = {
	/** `mcp__server__prompt`, with the characters of a slash command. */
	readonly name: string;
	readonly summary: string;
	/** The arguments in order: `<topic> [tone]`; undefined if it has none. */
	readonly hint: string | undefined;
	/**
	 * Returns the message, given the arguments as typed: one word or quoted text each, the last one takes the rest. Throws
	 * AppError("usage") if a required one is missing, AppError("failed") with what is wrong, and the signal's reason.
	 */
	readonly textFor: (typed: string, signal?: AbortSignal) => Promise<string>;
};

type Options = {
	/** The name of the server in slash commands. */
	readonly id: string;
	readonly server: Pick<Server, 'prompts' | 'prompt'>;
	/** Masks credentials. */
	readonly hide: (text: string) => string;
};

/** Most prompts of one server, most arguments of one, and most characters of its summary, hint and message. */
const maxPrompts = 100;
const maxArguments = 20;
const maxLine = 120;
const maxMessage = 64 * 1024;

/** Returns the prompts of a server. Names are unique; a prompt with too many arguments is left out. */
export function promptsOf({id, server, hide}: Options): readonly ServerPrompt[] {
	const taken = new Set<string>();
	const oneLine = (text: string) => lineOf(hide(text));
	const usable = server.prompts().filter(listed => listed.arguments.length <= maxArguments);
	return usable.slice(0, maxPrompts).map(listed => {
		const own = uniqueId(listed.name, id, hide, taken);
		taken.add(own);
		const name = `mcp__${id}__${own}`;
		const hint = oneLine(listed.arguments.map(arg => (arg.required ? `<${arg.name}>` : `[${arg.name}]`)).join(' '));
		return {
			name,
			summary: `${oneLine(listed.description || listed.title || 'Send this prompt')} (MCP server ${id})`,
			hint: hint || undefined,
			async textFor(typed, signal) {
				const parts = await server.prompt(listed.name, argumentsOf(listed, typed, `/${name} ${hint}`), signal);
				const text = hide(parts.map(textOf).join('\n\n')).trim();
				if (!text) {
					throw new AppError('failed', `The MCP server ${id} returned an empty prompt.`, {
						hint: 'Write the message yourself.',
					});
				}

				return headAndTail(text, maxMessage);
			},
		};
	});
}

/** Returns the arguments by name. The last one takes all words that are left. */
function argumentsOf({arguments: named}: ListedPrompt, typed: string, usage: string): Readonly<Record<string, string>> {
	const words = wordsOf(typed);
	if (words.length > 0 && named.length === 0) {
		throw new AppError('usage', 'This prompt has no arguments.', {hint: `Usage: ${usage.trim()}`});
	}

	const values = named.map((_, index) =>
		index === named.length - 1 ? words.slice(index).join(' ') : (words[index] ?? ''),
	);
	const missing = named.find(({required}, index) => required && !values[index]);
	if (missing) {
		throw new AppError('usage', `Missing argument: ${lineOf(missing.name)}`, {hint: `Usage: ${usage}`});
	}

	return Object.fromEntries(named.flatMap(({name}, index) => (values[index] ? [[name, values[index]]] : [])));
}

function lineOf(text: string): string {
	return cutText(safeText(text).replace(/\s+/g, ' ').trim(), maxLine);
}
