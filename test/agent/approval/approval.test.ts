import fc from 'fast-check';
import {expect, test} from 'vitest';
import {type ApprovalQuestion, editedHash} from '../../../src/agent/approval/approval.ts';
import {parseRule} from '../../../src/agent/policy/rules/rule.ts';
import {runCalls} from '../../../src/agent/tool-turn.ts';
import {AppError} from '../../../src/core/error.ts';
import type {Approval, ApprovalAnswer} from '../../../src/core/session/approval.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import type {Tool} from '../../../src/core/session/tool.ts';
import {approvalsOf, runOptions, scriptedModel} from '../scripted.ts';

const signal = new AbortController().signal;

type Answer = (request: ApprovalQuestion) => ApprovalAnswer;
const no: Answer = () => ({allowed: false});
const once: Answer = ({hash}) => ({allowed: true, hash});
const session: Answer = ({hash}) => ({allowed: true, hash, keep: 'session'});

/** The approvals of a session whose user gives these answers in order, then no. */
function answered(answers: readonly Answer[], more: Parameters<typeof approvalsOf>[1] = {}) {
	const asked: ApprovalQuestion[] = [];
	const events: AgentEvent[] = [];
	const approvals = approvalsOf(async request => {
		asked.push(request);
		return (answers[asked.length - 1] ?? no)(request);
	}, more);
	const startRun = () => {
		const bound = approvals.startRun()({id: 'call', signal, emit: event => events.push(event)});
		return (subject: string, act: Approval['act'] = {kind: 'read-secret', path: subject}) =>
			bound({act, summary: `Read ${subject}?`, subject});
	};
	return {startRun, asked, events, subjects: () => asked.map(({summary}) => summary)};
}

test('an answer for the session covers the same thing and nothing else', async () => {
	const {startRun, subjects} = answered([session, once, no]);
	const approve = startRun();
	const allowed = [];
	for (const subject of ['a', 'a', 'b', 'b']) {
		allowed.push((await approve(subject)).allowed);
	}

	expect(allowed).toEqual([true, true, true, false]);
	expect(subjects()).toEqual(['Read a?', 'Read b?', 'Read b?']);
});

test('two simultaneous questions for the same thing are asked once', async () => {
	const {startRun, subjects} = answered([session]);
	const approve = startRun();
	expect(await Promise.all([approve('a'), approve('a')])).toEqual([{allowed: true}, {allowed: true}]);
	expect(subjects()).toEqual(['Read a?']);
});

test('a yes that cannot be kept counts once, and the user is told', async () => {
	const {startRun, events} = answered([({hash}) => ({allowed: true, hash, keep: 'folder'})], {
		async keep() {
			throw new AppError('failed', "Couldn't write rules.json: no space is left.", {hint: 'Free some space.'});
		},
	});
	expect(await startRun()('a')).toEqual({allowed: true});
	const text = "Allowed only once: Couldn't write rules.json: no space is left.";
	expect(events.slice(1)).toMatchObject([
		{type: 'notice', level: 'warning', text, hint: 'Free some space.'},
		{type: 'approval-answer', allowed: true, by: 'user'},
	]);
});

test('what the user refused is not asked again in the same run, but in the next one', async () => {
	const {startRun, subjects} = answered([() => ({allowed: false, reason: 'use the mock'}), once]);
	const approve = startRun();
	expect(await approve('a')).toEqual({allowed: false, reason: 'use the mock'});
	await expect(approve('a')).rejects.toThrow('The user already refused exactly this, so they were not asked again.');
	expect(await startRun()('a')).toEqual({allowed: true});
	expect(subjects()).toEqual(['Read a?', 'Read a?']);
});

const makeIn = {kind: 'command', command: 'make', folder: '/repo', containment: 'none'} as const;

test('rules that the user allows are kept; the next act is judged by them', async () => {
	const kept: unknown[] = [];
	const {startRun, events} = answered([({hash}) => ({allowed: true, hash, keep: 'folder'})], {
		judge: async () =>
			kept.length > 0
				? {effect: 'allow', by: [parseRule('run_command(make)')]}
				: {effect: 'ask', suggestions: ['run_command(make)']},
		keep: async (scope, rules) => void kept.push({scope, rules}),
	});
	const approve = startRun();
	expect([await approve('make', makeIn), await approve('make', makeIn)]).toEqual([{allowed: true}, {allowed: true}]);
	expect(kept).toEqual([{scope: 'folder', rules: ['run_command(make)']}]);
	expect(events.flatMap(event => (event.type === 'approval-answer' ? [event.by] : []))).toEqual([
		'user',
		'run_command(make)',
	]);
});

test('a command that nobody allowed, because it only reads, is told to run so', async () => {
	const {startRun} = answered([], {judge: async () => ({effect: 'allow', by: 'read-only'})});
	expect(await startRun()('make', makeIn)).toEqual({allowed: true, readOnly: true});
});

test('a command that the user edited runs as edited, once, with a hash of its own [4]', async () => {
	const {startRun, events, asked} = answered([
		({hash}) => ({allowed: true, hash: editedHash(hash, 'make -n'), command: 'make -n'}),
		({hash}) => ({allowed: true, hash, command: 'make -n'}),
	]);
	const approve = startRun();
	expect(await approve('make', makeIn)).toEqual({allowed: true, command: 'make -n'});
	const [request, answer] = events;
	expect(request).toMatchObject({type: 'approval-request', hash: asked[0]?.hash});
	expect(answer).toMatchObject({
		type: 'approval-answer',
		allowed: true,
		hash: editedHash(asked[0]?.hash ?? '', 'make -n'),
	});
	// The hash of the model's command allows no other one.
	expect(await approve('make', makeIn)).toEqual({allowed: false});
});

test('a rule that denies beats the edit of the user [14]', async () => {
	const {startRun} = answered([({hash}) => ({allowed: true, hash: editedHash(hash, 'rm -r x'), command: 'rm -r x'})], {
		judge: async act =>
			act.kind === 'command' && act.command.startsWith('rm')
				? {effect: 'deny', by: parseRule('run_command(rm *)', 'deny')}
				: {effect: 'ask', suggestions: []},
	});
	await expect(startRun()('make', makeIn)).rejects.toThrow("the user's rule “run_command(rm *)” denies this");
});

test('question and answer are events of the call with the hash of what is allowed', async () => {
	const tool: Tool = {
		name: 'peek',
		description: '',
		parameters: {},
		readOnly: true,
		run: async (_, {approve}) => {
			const act = {kind: 'read-secret', path: '/repo/.env'} as const;
			return `${(await approve({act, summary: 'Show .env?', subject: 'read /repo/.env'})).allowed}`;
		},
	};
	const options = runOptions({
		ask: scriptedModel().ask,
		tools: [tool],
		approvals: approvalsOf(async request => once(request)).startRun(),
	});
	const events: AgentEvent[] = [];
	for await (const event of runCalls([{id: 'c1', name: 'peek', arguments: {}}], options)) {
		events.push(event);
	}

	expect(events).toMatchObject([
		{type: 'approval-request', id: 'c1', summary: 'Show .env?', hash: expect.stringMatching(/^[\da-f]{64}$/)},
		{type: 'approval-answer', id: 'c1', allowed: true, by: 'user'},
		{type: 'tool-result', id: 'c1', output: 'true', failed: false},
	]);
	expect(new Set(events.flatMap(event => ('hash' in event ? [event.hash] : []))).size).toBe(1);
});

test('the time in which the user thinks does not count as time of the tool', async () => {
	let now = 0;
	const act = {kind: 'edit', path: '/repo/a.txt'} as const;
	const tool: Tool = {
		name: 'edit',
		description: '',
		parameters: {},
		readOnly: false,
		async run(_, {approve}) {
			now += 20;
			await approve({act, summary: 'Change a.txt?', subject: 'x'});
			now += 3;
			return 'done';
		},
	};
	const options = runOptions({
		ask: scriptedModel().ask,
		tools: [tool],
		clock: () => now,
		approvals: approvalsOf(async ({hash}) => {
			now += 60_000;
			return {allowed: true, hash};
		}).startRun(),
	});
	const events: AgentEvent[] = [];
	for await (const event of runCalls([{id: 'c1', name: 'edit', arguments: {}}], options)) {
		events.push(event);
	}

	expect(events.at(-1)).toMatchObject({type: 'tool-result', milliseconds: 23});
});

const change = {path: 'a.txt', added: 1, removed: 0, diff: '@@ -1 +1 @@\n+***'};
const exactChange = {...change, diff: '@@ -1 +1 @@\n+secret'};

test('the user sees the exact change, the journal the one without credentials [8]', async () => {
	const shown: unknown[] = [];
	const events: AgentEvent[] = [];
	const approve = approvalsOf(async request => {
		shown.push(request.exactChange);
		return once(request);
	}).startRun()({id: 'call', signal, emit: event => events.push(event)});
	const request = {act: {kind: 'edit', path: '/repo/a.txt'}, summary: 'Change a.txt?', subject: 'x'} as const;
	expect(await approve({...request, change, exactChange})).toEqual({allowed: true});
	expect(shown).toEqual([exactChange]);
	expect(events[0]).toMatchObject({type: 'approval-request', kind: 'edit', change});
	expect(JSON.stringify(events)).not.toContain('+secret');
});

test('nothing runs unless an answer with its hash allowed it, whatever the order of answers [4]', async () => {
	const subjects = ['a', 'b', 'c'];
	const answer = fc.constantFrom<Answer>(
		no,
		once,
		session,
		() => ({allowed: true, hash: 'f'.repeat(64)}),
		() => ({allowed: true, hash: ''}),
		({hash}) => ({allowed: true, hash, command: 'other'}),
	);
	await fc.assert(
		fc.asyncProperty(
			fc.array(answer),
			fc.array(fc.constantFrom(...subjects), {maxLength: 12}),
			async (answers, wanted) => {
				const {startRun, events} = answered(answers);
				const approve = startRun();
				const ran = (
					await Promise.all(
						wanted.map(subject =>
							approve(subject).then(
								({allowed}) => (allowed ? [subject] : []),
								() => [],
							),
						),
					)
				).flat();
				const [requests, yeses] = [
					events.flatMap(event => (event.type === 'approval-request' ? [event] : [])),
					events.flatMap(event => (event.type === 'approval-answer' && event.allowed ? [event.hash] : [])),
				];
				const allowed = yeses.map(hash => requests.find(request => request.hash === hash)?.summary);
				expect(allowed.toSorted()).toEqual(ran.map(subject => `Read ${subject}?`).toSorted());
				expect(requests.length).toBe(wanted.length);
			},
		),
	);
});
