import {expect, test} from 'vitest';
import {readFrontMatter} from '../../src/core/front-matter.ts';

const fieldsOf = (text: string) => Object.fromEntries(readFrontMatter(text).fields);

test('plain, quoted and block texts are read, lists and maps are skipped', () => {
	const text = [
		'---',
		'name: review  # of a change',
		'description: "Say \\"hi\\": now"',
		"hint: 'it''s'",
		'long: >',
		'  one',
		'  two',
		'list:',
		'  - a',
		'name: twice',
		'__proto__: no',
		'---',
		'Body',
	].join('\n');
	expect(fieldsOf(text)).toEqual({
		name: 'review',
		description: 'Say "hi": now',
		hint: "it's",
		long: 'one two',
		list: '',
	});
	expect(readFrontMatter(text).body).toBe('Body');
	expect(fieldsOf(text.replaceAll('\n', '\r\n'))).toEqual(fieldsOf(text));
});

test.each(['', 'Just text', '---\nopen: end', '# Title\n---\na: b\n---\n', `---\n${'x: y\n'.repeat(9000)}---\nBody`])(
	'a file without closed fields is its own body: %#',
	text => {
		expect(readFrontMatter(text)).toEqual({fields: new Map(), body: text});
	},
);
