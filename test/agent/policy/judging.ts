import {mkdir, mkdtemp, realpath, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll} from 'vitest';
import {judge} from '../../../src/agent/approval/ruling.ts';
import {parseRule, type Verdict} from '../../../src/agent/policy/rules/rule.ts';
import type {Act} from '../../../src/core/session/approval.ts';
import {writeAll} from '../tools/workspace.ts';

type Rules = {readonly allow?: readonly string[]; readonly deny?: readonly string[]};

/** A working folder that the tests of a file share, in a folder of its own with a home and a state folder. */
export type Policy = {
	readonly root: () => string;
	readonly workspace: () => string;
	readonly judge: (act: Act, rules?: Rules) => Promise<Verdict>;
	readonly judgeCommand: (command: string, rules?: Rules) => Promise<Verdict>;
};

/** Creates the folder before all tests and removes it after them. */
export function openPolicy(files: Readonly<Record<string, string>> = {}): Policy {
	let root = '';
	const workspace = () => join(root, 'project');
	beforeAll(async () => {
		root = await realpath(await mkdtemp(join(tmpdir(), 'service-policy-')));
		await mkdir(workspace());
		await writeAll(root, {'.service/config.json': '{}', 'outside.txt': 'outside'});
		await writeAll(workspace(), files);
	});
	afterAll(() => rm(root, {recursive: true, force: true}));

	const judgeAct: Policy['judge'] = (act, {allow = [], deny = []} = {}) => {
		const rules = [...allow.map(rule => [rule, 'allow'] as const), ...deny.map(rule => [rule, 'deny'] as const)];
		const entries = rules.map(([rule, effect]) => ({...parseRule(rule, effect), name: `${effect} ${rule}`}));
		return judge(act, {folder: workspace(), entries}, {stateFolder: join(root, '.service'), homeFolder: root});
	};
	return {
		root: () => root,
		workspace,
		judge: judgeAct,
		judgeCommand: (command, rules) =>
			judgeAct({kind: 'command', command, folder: workspace(), containment: 'sandbox'}, rules),
	};
}
