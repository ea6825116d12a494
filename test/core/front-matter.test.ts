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

test.each([
	['description: Use it when\n  somebody asks: often\n\n  or not # never', 'Use it when somebody asks: often or not'],
	['description: "Use it\n  when asked"', 'Use it when asked'],
	["description: 'Use it\n\twhen it''s late'", "Use it when it's late"],
	['description:\n  Use it\n  when asked', 'Use it when asked'],
	['description: >2-\n  Use it\n  when asked', 'Use it when asked'],
	['description: |- # as it is\n  Use it\n  when asked', 'Use it\nwhen asked'],
	['description:\n  - Use it\n  - when asked', ''],
	['description:\n  long: Use it\n  when: asked', ''],
	['description: Use it\nother: >-\n  no\n', 'Use it'],
])('a text that goes on below is read whole, a list or a map is skipped: %j', (fields, description) => {
	expect(fieldsOf(`---\n${fields}\n---\nBody`)).toMatchObject({description});
	expect(fieldsOf(`---\nname: a\n${fields}\nlast: b\n---\nBody`)).toMatchObject({name: 'a', description, last: 'b'});
});

test.each(['', 'Just text', '---\nopen: end', '# Title\n---\na: b\n---\n', `---\n${'x: y\n'.repeat(9000)}---\nBody`])(
	'a file without closed fields is its own body: %#',
	text => {
		expect(readFrontMatter(text)).toEqual({fields: new Map(), body: text});
	},
);
