import fc from 'fast-check';
import {expect, test} from 'vitest';
import {pathText} from '../../../src/agent/paths/path-text.ts';
import {createListFiles} from '../../../src/agent/tools/list-files.ts';
import {createReadFile} from '../../../src/agent/tools/read-file.ts';
import {createSearchText} from '../../../src/agent/tools/search-text.ts';
import {makeWorkspace} from '../tools/workspace.ts';

test('any path becomes one visible line that gives the path back', () => {
	fc.assert(
		fc.property(fc.string({unit: 'grapheme'}), fc.constantFrom('', '\n', '\u202E', '\u{E0041}', '"'), (name, odd) => {
			const path = name + odd;
			const text = pathText(path);
			expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
			expect(text === path || JSON.parse(text) === path).toBe(true);
		}),
	);
});

test.runIf(process.platform !== 'win32')('a file whose name holds line ends and escapes is one file', async () => {
	const name = 'a\nREADME.md\u001B[2J\u202E.txt';
	const {stateFolder, context} = await makeWorkspace({[name]: 'one', 'b.txt': ''});
	const shown = String.raw`"a\nREADME.md\u001b[2J\u202e.txt"`;
	expect(await createListFiles({stateFolder}).run({}, context)).toBe(`${shown}\nb.txt`);
	const search = createSearchText({stateFolder, ripgrep: async () => undefined});
	expect(await search.run({pattern: 'one'}, context)).toBe(`${shown}:1:one`);
	expect(await createReadFile({stateFolder}).run({path: JSON.parse(shown)}, context)).toBe('1\tone');
});
