import {expect, test} from 'vitest';
import {play} from './play.ts';

const prompt = 'fix the typo in README.md';

/** Plays the work on these files, whose edits say `edited`. */
async function fix(files: Readonly<Record<string, string>>, edited = 'Changed README.md (+1 -1 lines).') {
	const {calls, text} = await play(prompt, async ({name, arguments: args}) => {
		switch (name) {
			case 'list_files':
				return Object.keys(files).join('\n') || '[no files]';
			case 'read_file':
				return files[String((args as {path?: string}).path)] ?? 'File not found.';
			default:
				return edited;
		}
	});
	return {calls, text, names: calls.map(({name}) => name)};
}

test('the demo model looks for the file, reads it and fixes its first typo', async () => {
	const {names, calls, text} = await fix({'README.md': '1\t# Teh project\n2\tteh'});
	expect(names).toEqual(['list_files', 'read_file', 'edit_file']);
	expect(calls[2]?.arguments).toEqual({
		path: 'README.md',
		edits: [{old_text: '# Teh project', new_text: '# The project'}],
	});
	expect(text).toContain('Changed README.md (+1 -1 lines). `/undo` undoes it.');
});

test('a file in a folder is found by its name', async () => {
	const {calls} = await fix({'docs/README.md': '1\tteh'});
	expect(calls[1]?.arguments).toEqual({path: 'docs/README.md'});
});

test.each([
	['a missing file', {}, ['list_files'], 'I can’t find `README.md` here'],
	['a file without one', {'README.md': '1\tfine'}, ['list_files', 'read_file'], 'I see no typo in `README.md`'],
] as const)('the demo model says so about %s', async (_, files, expected, said) => {
	const {names, text} = await fix(files);
	expect(names).toEqual(expected);
	expect(text).toContain(said);
});

test('a refused edit ends the work', async () => {
	const {names, text} = await fix({'README.md': '1\tteh'}, 'The user did not allow this.');
	expect(names).toEqual(['list_files', 'read_file', 'edit_file']);
	expect(text).toContain('I’m stopping here: the file wasn’t written');
});
