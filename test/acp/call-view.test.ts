import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {diffsOf, endOfOutput, hunksOf, kindOfCall, locationsOfCall} from '../../src/acp/call-view.ts';
import {offeredCommands} from '../../src/acp/editor-commands.ts';
import {optionsFor} from '../../src/acp/permission.ts';
import {messageOf} from '../../src/acp/prompt-content.ts';
import {describeChange} from '../../src/agent/tools/files/change-file.ts';
import {findMentions} from '../../src/core/mention.ts';

const text = fc
	.array(fc.constantFrom('a', 'b', 'c', '', '+', '-', '\\ x', '@@ -1 +1 @@'), {maxLength: 40})
	.chain(lines => fc.constantFrom(lines.join('\n'), lines.map(line => `${line}\n`).join('')));

test('the diffs of a change, put into the old text in order, make the new one', () => {
	fc.assert(
		fc.property(text, text, (before, after) => {
			fc.pre(before !== after);
			const {exact} = describeChange('a.txt', before, after);
			let rest = before;
			let made = '';
			for (const {before: old, after: next} of hunksOf(exact.diff)) {
				const at = rest.indexOf(old);
				expect(at).toBeGreaterThanOrEqual(0);
				made += rest.slice(0, at) + next;
				rest = rest.slice(at + old.length);
			}

			expect(made + rest).toBe(after);
		}),
	);
});

test('the text of a new file has none before it, and paths are absolute', () => {
	const created = describeChange('src/a.ts', '', 'x\n').exact;
	expect(diffsOf(created, '/work')).toEqual([{type: 'diff', path: '/work/src/a.ts', oldText: null, newText: 'x\n'}]);
	const changed = describeChange('src/a.ts', 'y\n', 'x\n').exact;
	expect(diffsOf(changed, '/work')).toMatchObject([{oldText: 'y\n'}]);
	expect(locationsOfCall('read_file', {path: '../b', offset: 7}, '/work')).toEqual([{path: '/b', line: 7}]);
	expect(locationsOfCall('run_command', {path: 'a'}, '/work')).toEqual([]);
	expect(locationsOfCall('read_file', {path: 7, offset: -1}, '/work')).toEqual([]);
});

test.each([
	['read_file', 'read'],
	['list_files', 'search'],
	['search_text', 'search'],
	['edit_file', 'edit'],
	['write_file', 'edit'],
	['run_command', 'execute'],
	['fetch_url', 'fetch'],
	['mcp__a__read_file', 'other'],
	['nonsense', 'other'],
])('a call of %s is of the kind %s', (name, kind) => {
	expect(kindOfCall(name)).toBe(kind);
});

test('a long output is shown from the beginning of a line', () => {
	const lines = Array.from({length: 5000}, (_, index) => `line ${index}`).join('\n');
	expect(endOfOutput(lines)).toMatch(/^…\nline \d+\n/);
	expect(lines.endsWith(endOfOutput(lines).slice(2))).toBe(true);
});

test('an answer whose rules do not fit into its name is not offered [4]', () => {
	const keeps = (rules: readonly string[]) => ({key: 'f', label: 'Yes', value: 'folder', keeps: {rules, life: 'here'}});
	expect(optionsFor([keeps(['run_command(npm test)'])])).toEqual([
		{optionId: 'folder', name: 'Yes: run_command(npm test) (here)', kind: 'allow_always'},
		{optionId: 'reject', name: 'No', kind: 'reject_once'},
	]);
	expect(optionsFor([keeps(['x'.repeat(300)])])).toEqual([{optionId: 'reject', name: 'No', kind: 'reject_once'}]);
});

test('the name of a linked file is mentioned so that exactly this file is read', async () => {
	await fc.assert(
		fc.asyncProperty(fc.string({minLength: 1, maxLength: 30, unit: 'binary'}), async name => {
			fc.pre(!/[\0/]/.test(name) && !/\p{Cs}/u.test(name) && name !== '.' && name !== '..');
			const uri = `file:///work/${encodeURIComponent(name)}`;
			const {typed} = await messageOf([{type: 'resource_link', name: 'x', uri}], {
				folder: '/work',
				keepImage: async () => ({mention: ''}),
			});
			expect(findMentions(typed)).toMatchObject([{name}]);
		}),
	);
});

test('every command that editors are offered exists', () => {
	expect(offeredCommands.filter(name => !commands.some(entry => entry.name === name))).toEqual([]);
});
