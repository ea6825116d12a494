import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {sourceFiles} from '../../source-strings.ts';

const named = 'up|down|left|right|tab|space|page-up|page-down|home|delete|backspace|(?:(?:ctrl|alt|shift)\\+)+[\\w-]+';
const literal = new RegExp(`(?<!align )(?:===|!==|case|includes\\() ?'(?:${named})'`, 'g');

test('components compare keys with actions, but for Esc, Ctrl+C and Enter, which stay as they are', () => {
	const found = sourceFiles()
		.filter(file => file.startsWith('src/ui/'))
		.flatMap(file => (readFileSync(file, 'utf8').match(literal) ?? []).map(text => `${file}: ${text}`));
	expect(found.filter(text => !text.endsWith("'ctrl+c'"))).toEqual([]);
});
