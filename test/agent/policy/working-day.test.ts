import {beforeAll, expect, test} from 'vitest';
import {ruleOn} from '../../../src/agent/approval/ruling.ts';
import type {ApprovalMode} from '../../../src/core/session/approval.ts';
import {git} from '../tools/workspace.ts';
import {openPolicy} from './judging.ts';
import {workingDay} from './working-day.ts';

const {workspace, judge} = openPolicy({
	'package.json': '{"name": "a", "scripts": {}}',
	'tsconfig.json': '{}',
	'src/a.ts': 'export const adds = 1;\n',
	'src/a.go': 'package a\n',
	'src/a.test.ts': '',
	'test/a.test.js': '',
	'tests/test_a.py': '',
	'tools/gen.py': '',
	'dist/cli.js': '',
	'pkg/a/a.go': 'package a\n',
});

beforeAll(() => {
	git(workspace(), 'init', '-q', '-b', 'main', '--template=');
	git(workspace(), 'add', '.');
	git(workspace(), 'commit', '-q', '-m', 'first');
});

type Kept = {readonly mode?: ApprovalMode; readonly allow?: readonly string[]};

/** Returns what happens to a command: `runs`, or `asks` with the rules that a key of the question keeps. */
async function rule(command: string, {mode = 'ask', allow = []}: Kept = {}) {
	const act = {kind: 'command', command, folder: workspace(), containment: 'sandbox'} as const;
	const verdict = await judge(act, {allow});
	const suggested = verdict.effect === 'ask' ? verdict.suggestions : [];
	return {is: ruleOn(act, mode, verdict).effect === 'allow' ? 'runs' : 'asks', suggested} as const;
}

test('a hundred commands of a working day', () => {
	expect(new Set(workingDay.map(([command]) => command)).size).toBe(100);
});

test.each(workingDay)('%s', async (command, sibling, fresh, kept) => {
	const allow = (await rule(sibling)).suggested;
	expect([
		(await rule(command)).is,
		(await rule(command, {allow})).is,
		(await rule(command, {mode: 'edits'})).is,
		(await rule(command, {mode: 'all'})).is,
	]).toEqual([fresh, kept, fresh, 'runs']);
});
