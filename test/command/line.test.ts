import {expect, test} from 'vitest';
import {readLine} from '../../src/command/line.ts';
import {isCommandLine} from '../../src/command/line-kind.ts';

test.each(['/', '/help', '/keys set x', '/?', '/keys-help', '/HELP', '/help\nmore'])('%j is a command', text => {
	expect(isCommandLine(text)).toBe(true);
});

test.each([
	'',
	'help',
	'  /help',
	' /',
	'/usr/bin',
	'/usr/bin is where?',
	'//',
	'/ help',
	'/1',
	'/etc.d',
	'see /help',
	'/*',
])('%j is a message', text => {
	expect(isCommandLine(text)).toBe(false);
});

test('a line is split without its slash', () => {
	expect(readLine(' /note "a b" c ', []).rest).toEqual(['note', 'a b', 'c']);
});
