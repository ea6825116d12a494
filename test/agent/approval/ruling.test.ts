import {expect, test} from 'vitest';
import {ruleOn} from '../../../src/agent/approval/ruling.ts';
import {denial, parseRule, type Verdict} from '../../../src/agent/policy/rules/rule.ts';
import type {Containment} from '../../../src/agent/tools/command/command-containers.ts';
import {type Act, type ApprovalMode, approvalModes} from '../../../src/core/session/approval.ts';

const command = (containment: Containment): Act => ({kind: 'command', command: 'make', folder: '/repo', containment});
const acts = {
	'read a secret file': {kind: 'read-secret', path: '/repo/.env'},
	'edit a file': {kind: 'edit', path: '/repo/a.ts'},
	'edit a secret file': {kind: 'edit-secret', path: '/repo/.env'},
	'run in a sandbox': command('sandbox'),
	'run with the network': command('network'),
	'run without a sandbox': command('none'),
	'fetch a page': {kind: 'fetch', url: 'https://example.com/', method: 'GET'},
	'call an MCP tool': {kind: 'mcp', server: 'db', tool: 'drop', arguments: {}, isLocal: true},
	'send something': {kind: 'fetch', url: 'https://example.com/', method: 'POST'},
} as const satisfies Readonly<Record<string, Act>>;

const unknown: Verdict = {effect: 'ask', suggestions: []};
const rulingsOf = (act: Act, verdict: Verdict) =>
	Object.fromEntries(approvalModes.map(mode => [mode, ruleOn(act, mode, verdict).effect]));

test.each<[keyof typeof acts, Readonly<Record<ApprovalMode, string>>]>([
	['read a secret file', {ask: 'ask', edits: 'ask', all: 'ask', plan: 'ask'}],
	['edit a file', {ask: 'ask', edits: 'allow', all: 'allow', plan: 'deny'}],
	['edit a secret file', {ask: 'ask', edits: 'ask', all: 'ask', plan: 'deny'}],
	['run in a sandbox', {ask: 'ask', edits: 'ask', all: 'allow', plan: 'deny'}],
	['run with the network', {ask: 'ask', edits: 'ask', all: 'ask', plan: 'deny'}],
	['run without a sandbox', {ask: 'ask', edits: 'ask', all: 'ask', plan: 'deny'}],
	['fetch a page', {ask: 'ask', edits: 'ask', all: 'ask', plan: 'ask'}],
	['call an MCP tool', {ask: 'ask', edits: 'ask', all: 'ask', plan: 'deny'}],
	['send something', {ask: 'ask', edits: 'ask', all: 'ask', plan: 'deny'}],
])('what no rule covers, to %s, is %j by mode', (name, expected) => {
	expect(rulingsOf(acts[name], unknown)).toEqual(expected);
});

test.each(Object.entries(acts))('a rule that denies to %s wins in every mode [14]', (_, act) => {
	const rulings = rulingsOf(act, {effect: 'deny', by: parseRule('run_command(make)', 'deny')});
	expect(rulings).toEqual({ask: 'deny', edits: 'deny', all: 'deny', plan: 'deny'});
});

test.each(Object.entries(acts))('a rule that allows to %s counts, but for changes in plan mode', (name, act) => {
	const isReading = name === 'read a secret file' || name === 'fetch a page';
	const rulings = rulingsOf(act, {effect: 'allow', by: [parseRule('read_file(.env)')]});
	expect(rulings).toEqual({ask: 'allow', edits: 'allow', all: 'allow', plan: isReading ? 'allow' : 'deny'});
});

test('a command that only reads runs in every mode', () => {
	expect(rulingsOf(acts['run without a sandbox'], {effect: 'allow', by: 'read-only'})).toEqual({
		ask: 'allow',
		edits: 'allow',
		all: 'allow',
		plan: 'allow',
	});
});

test('a command that a rule may deny is asked for even if the mode allows commands [14]', () => {
	expect(ruleOn(acts['run in a sandbox'], 'all', {...unknown, mayBeDenied: true}).effect).toBe('ask');
});

test('the model reads in plan mode what to do instead', () => {
	expect(ruleOn(acts['edit a file'], 'plan', unknown)).toEqual({effect: 'deny', by: 'mode'});
	expect(denial('mode')).toMatchObject({
		message: 'Not allowed in plan mode: nothing is changed or run until the user accepts your plan.',
		hint: 'Finish reading, then end your answer with the plan.',
	});
});

test('an MCP tool that says it only reads is believed in plan mode together with a rule of the user', () => {
	const act: Act = {...acts['call an MCP tool'], claimsReadOnly: true};
	expect(ruleOn(act, 'plan', unknown).effect).toBe('deny');
	expect(ruleOn(act, 'plan', {effect: 'allow', by: [parseRule('mcp(db:*)')]}).effect).toBe('allow');
	expect(ruleOn(acts['call an MCP tool'], 'plan', {effect: 'allow', by: [parseRule('mcp(db:*)')]}).effect).toBe('deny');
});
