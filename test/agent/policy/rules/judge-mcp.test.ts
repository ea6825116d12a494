import {expect, test} from 'vitest';
import {parseRule} from '../../../../src/agent/policy/rules/rule.ts';
import type {Act} from '../../../../src/core/session/approval.ts';
import {openPolicy} from '../judging.ts';

const policy = openPolicy();
const call = (tool: string, more: Partial<Extract<Act, {kind: 'mcp'}>> = {}): Act => ({
	...{kind: 'mcp', server: 'github', tool, arguments: {}, isLocal: false},
	...more,
});

test.each([
	['mcp(github:get_issue)', 'get_issue', 'allow'],
	['mcp(github:get_issue)', 'get_issues', 'ask'],
	['mcp(github:get_*)', 'get_issues', 'allow'],
	['mcp(github:*)', 'delete_repository', 'allow'],
	['mcp(git:*)', 'get_issue', 'ask'],
	['mcp', 'get_issue', 'allow'],
	['run_command', 'get_issue', 'ask'],
])('with the rule %s, a call of %s is: %s', async (rule, tool, effect) => {
	expect((await policy.judge(call(tool), {allow: [rule]})).effect).toBe(effect);
});

test('a rule that denies wins, and the question suggests a rule for that tool alone [14]', async () => {
	expect(await policy.judge(call('drop'), {allow: ['mcp'], deny: ['mcp(github:drop)']})).toMatchObject({
		effect: 'deny',
	});
	expect(await policy.judge(call('drop'))).toMatchObject({suggestions: ['mcp(github:drop)']});
});

test('a tool that changed since it was allowed is asked about in spite of a rule', async () => {
	expect(await policy.judge(call('get', {isChanged: true}), {allow: ['mcp']})).toMatchObject({
		effect: 'ask',
		suggestions: [],
		why: 'changed since you allowed it',
	});
});

test.each(['mcp(github)', 'mcp()', 'mcp(a b:c)', 'mcp(*:*)', 'mcp(a:b:c)', 'mcp(a:*b)'])('%s is no rule', text => {
	expect(() => parseRule(text)).toThrow(/Invalid rule/);
});
