/**
 * True for a command line: `/` and a word, also with signs that fingers add, such as `/q!`. What other programs end with,
 * `:wq` or `quit` alone, is one that no command answers to. A path such as `/usr/bin` or `/etc.d` is a message, and so is a line
 * with a space before it.
 */
export function isCommandLine(text: string): boolean {
	return slashLine.test(text) || otherEnds.test(text);
}

/** A word with a letter, without another slash, and without a dot inside as names of files have it. */
const slashLine = /^\/(?:\s*$|\?(?:\s|$)|(?=[^\s/]*\p{L})(?![^\s/]*\.[\p{L}\p{N}])[^\s/*][^\s/]*(?:\s|$))/u;
const otherEnds = /^(?:[:\\][a-z]+!?|exit|quit)\s*$/i;

/** True for a command of the user's shell: `!` and the command. With a space before it, it is a message. */
export function isShellLine(text: string): boolean {
	return /^!\s*\S/.test(text);
}

/** Returns a text as the prompt sends it to the agent: with a space before what would be a command. */
export function asMessage(text: string): string {
	return isCommandLine(text) || text.startsWith('!') ? ` ${text}` : text;
}

/**
 * Returns a paste as it begins the prompt. Only a command line as one copies it from a page stays one: nothing that is pasted
 * runs in the user's shell, and several lines are a text. A command line may hold a key, which no model should get.
 */
export function asPasted(text: string): string {
	return isCommandLine(text) && !text.trimEnd().includes('\n') ? text : asMessage(text);
}

/** Returns the message of a text of the prompt: without the space that keeps it from being a command. */
export function messageIn(text: string): string {
	const message = text.slice(1);
	return text === ` ${message}` && asMessage(message) === text ? message : text;
}
