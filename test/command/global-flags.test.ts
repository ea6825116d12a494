import {expect, test} from 'vitest';
import {takeGlobalFlags} from '../../src/command/global-flags.ts';

const none = {
	json: false,
	exact: false,
	insecureHttp: false,
	server: undefined,
	profile: undefined,
	org: undefined,
	workspace: undefined,
	project: undefined,
};

test.each([
	[[], {}, []],
	[['keys', 'list', '--json'], {json: true}, ['keys', 'list']],
	[['--json', 'keys', 'list'], {json: true}, ['keys', 'list']],
	[['login', '--server', 'http://a', 'key'], {server: 'http://a'}, ['login', 'key']],
	[['login', '--server=http://a?b=c'], {server: 'http://a?b=c'}, ['login']],
	[
		['x', '--profile', 'p', '--org', 'o', '--workspace', 'w', '--project', 'j'],
		{profile: 'p', org: 'o', workspace: 'w', project: 'j'},
		['x'],
	],
	[['x', '--insecure-http'], {insecureHttp: true}, ['x']],
	[['x', '--exact'], {exact: true}, ['x']],
	[['x', '--server', 'a', '--server', 'b'], {server: 'b'}, ['x']],
	[['rename', '--', '--json', '--server', 'a'], {}, ['rename', '--', '--json', '--server', 'a']],
	[['x', '--jsonl', '--servers', 'a'], {}, ['x', '--jsonl', '--servers', 'a']],
])('global flags are taken out of %j', (words, flags, rest) => {
	expect(takeGlobalFlags(words)).toEqual({flags: {...none, ...flags}, rest});
});

test.each([[['--server']], [['--server=']], [['--server', '--json']], [['--profile', '-x']], [['--org', '']]])(
	'%j is refused because a value is missing',
	words => {
		expect(() => takeGlobalFlags(words)).toThrowError(
			expect.objectContaining({code: 'usage', message: `${words[0]?.replace('=', '')} needs a value.`}),
		);
	},
);
