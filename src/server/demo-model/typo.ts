import type {ToolResult} from './chat.ts';
import type {IntendedCall} from './intent.ts';

/** Misspelled words that the demo model knows, and how they are spelled. */
const spellings: Readonly<Record<string, string>> = {
	teh: 'the',
	recieve: 'receive',
	recieved: 'received',
	seperate: 'separate',
	occured: 'occurred',
	definately: 'definitely',
	adress: 'address',
	enviroment: 'environment',
	wich: 'which',
	untill: 'until',
	helo: 'hello',
	wrold: 'world',
};

const typo = new RegExp(String.raw`\b(?:${Object.keys(spellings).join('|')})\b`, 'i');

/** Returns the call that fixes the first typo of a file, if the user asked for that and the file was just read. */
export function fixFor(prompt: string, results: readonly ToolResult[]): IntendedCall | undefined {
	const file = /\bfix\b[^.?!\n]{0,20}\b(?:typos?|spelling)\b/i.test(prompt)
		? results.find(({name}) => name === 'read_file')
		: undefined;
	const line = file?.output
		.split('\n')
		.map(text => /^\d+\t(.*)$/.exec(text)?.[1] ?? '')
		.find(text => typo.test(text));
	if (!file || line === undefined) {
		return undefined;
	}

	const fixed = line.replace(typo, word => spelledLike(word, spellings[word.toLowerCase()] ?? word));
	return {
		name: 'edit_file',
		arguments: {path: String(file.arguments['path'] ?? ''), edits: [{old_text: line, new_text: fixed}]},
	};
}

function spelledLike(word: string, right: string): string {
	const first = word[0] ?? '';
	return first === first.toUpperCase() ? (right[0] ?? '').toUpperCase() + right.slice(1) : right;
}
