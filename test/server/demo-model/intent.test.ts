import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type IntendedCall, readIntent} from '../../../src/server/demo-model/intent.ts';
import {anyText} from '../../any-text.ts';
import {expectLinear} from '../../growth.ts';

const list: IntendedCall = {name: 'list_files', arguments: {}};
const read = (path: string): IntendedCall => ({name: 'read_file', arguments: {path}});
const search = (pattern: string): IntendedCall => ({name: 'search_text', arguments: {pattern, literal: true}});

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const log: IntendedCall = {name: 'environment_logs', arguments: {environment: id, lines: 20}};

test.each<[string, readonly IntendedCall[]]>([
	['list the files', [list]],
	['List the files here.', [list]],
	['What files are there?', [list]],
	['which files do you see', [list]],
	['show me all files', [list]],
	['ls', [list]],
	['list the files in src/agent', [{name: 'list_files', arguments: {path: 'src/agent'}}]],
	['read README.md', [read('README.md')]],
	['Please read the file `README.md`.', [read('README.md')]],
	['show me src/main.ts', [read('src/main.ts')]],
	['open package.json, please', [read('package.json')]],
	['cat .gitignore', [read('.gitignore')]],
	['read LICENSE', [read('LICENSE')]],
	['read @a.txt', [read('a.txt')]],
	['What is in @src/a.ts:3-9?', [read('src/a.ts')]],
	['look at @f1.ts and list the files', [list, read('f1.ts')]],
	['read ../secret.txt', [read('../secret.txt')]],
	['read README.md and package.json', [read('README.md'), read('package.json')]],
	['list the files and read README.md', [list, read('README.md')]],
	['hello, list the files', [list]],
	['search for export', [search('export')]],
	['search for "two words" in the files', [search('two words')]],
	['find TODO in this folder.', [search('TODO')]],
	['grep runAgent(', [search('runAgent(')]],
	['look for `a|b`', [search('a|b')]],
	[`what does the log of ${id} say?`, [log]],
	[`Show me the last logs from environment \`${id}\`.`, [log]],
	[`watch the log of the sandbox ${id}`, [log]],
	[`This is the task in the sandbox ${id}, whose log you can read:\n\nFind out why. Read main.ts.`, [log]],
	[
		`wait for "listens on" in the log of ${id}`,
		[{name: 'wait_for_log', arguments: {environment: id, pattern: 'listens on', timeout_seconds: 30}}],
	],
])('“%s” requests tools', (prompt, calls) => {
	expect(readIntent(prompt)).toEqual({kind: 'calls', calls});
});

test.each([
	['Hello', 'hello'],
	['hi there!', 'hello'],
	['help', 'help'],
	['What can you do?', 'help'],
	['show me a table', 'table'],
	['show some code', 'code'],
	['write example code', 'code'],
	['give me a long answer', 'long'],
	['thanks!', 'thanks'],
	['Why is the sky blue?', 'other'],
	['', 'other'],
])('“%s” requests text: %s', (prompt, kind) => {
	expect(readIntent(prompt)).toEqual({kind});
});

test('no prompt throws or takes longer than its length', () => {
	fc.assert(fc.property(anyText({maxLength: 3000}), prompt => Boolean(readIntent(prompt).kind)));
	for (const word of [
		'list ',
		'read a/',
		'search for ',
		'files in ',
		'a.',
		' ',
		'read the file ',
		'how do ',
		'log of ',
	]) {
		expectLinear(size => readIntent(word.repeat(size)), 5000);
	}
});
