import {namedFiles} from '../intent.ts';
import {inline} from '../markdown-text.ts';
import {continueWith, finish, resultsOf, stopAt, type Work} from './steps.ts';

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

/** Fixes the first typo of a file that the prompt names: looks for the file, reads it, and changes it. */
export const fixTypo: Work = (prompt, results) => {
	const [named] = /\bfix\b[^.?!\n]{0,20}\b(?:typos?|spelling)\b/i.test(prompt) ? namedFiles(prompt) : [];
	if (named === undefined) {
		return undefined;
	}

	const [listed, file, edited] = (['list_files', 'read_file', 'edit_file'] as const).map(
		name => resultsOf(results, name)[0],
	);
	if (!listed) {
		return continueWith('Let me find the file.', {name: 'list_files', arguments: {pattern: named}});
	}

	const paths = listed.output.split('\n').filter(line => line !== '' && !line.startsWith('['));
	const path = paths.find(found => found === named) ?? paths[0];
	if (path === undefined) {
		return stopAt(undefined, `I can’t find ${inline(named)} here`);
	}

	if (!file) {
		return continueWith('Here it is.', {name: 'read_file', arguments: {path}});
	}

	if (edited) {
		return edited.output.startsWith('Changed ')
			? finish(`${edited.output.split('\n', 1)[0]} \`/undo\` undoes it.`)
			: stopAt(edited, 'the file wasn’t written');
	}

	const line = file.output
		.split('\n')
		.map(text => /^\d+\t(.*)$/.exec(text)?.[1] ?? '')
		.find(text => typo.test(text));
	if (line === undefined) {
		return finish(`I see no typo in ${inline(path)} that I know. I only know a few, such as “teh”.`);
	}

	const fixed = line.replace(typo, word => spelledLike(word, spellings[word.toLowerCase()] ?? word));
	return continueWith('I know how that word is spelled.', {
		name: 'edit_file',
		arguments: {path, edits: [{old_text: line, new_text: fixed}]},
	});
};

function spelledLike(word: string, right: string): string {
	const first = word[0] ?? '';
	return first === first.toUpperCase() ? (right[0] ?? '').toUpperCase() + right.slice(1) : right;
}
