import {describe, expect, test} from 'vitest';
import type {ApprovalQuestion} from '../../src/agent/approval/approval.ts';
import {decideUnasked} from '../../src/agent/approval/unasked.ts';
import {parseRule} from '../../src/agent/policy/rules/rule.ts';
import {runAgent} from '../../src/agent/run.ts';
import type {ApprovalAnswer, ApprovalMode} from '../../src/core/session/approval.ts';
import type {Tool} from '../../src/core/session/tool.ts';
import type {ProviderEvent} from '../../src/providers/provider.ts';
import {approvalsOf, call, collect, echo, finish, runOptions, scriptedModel, text, transcriptOf} from './scripted.ts';

const written = (name: string): ProviderEvent => ({...call(name), written: true}) as ProviderEvent;

/** A tool that asks for an edit. */
const change: Tool = {
	...echo,
	name: 'change',
	readOnly: false,
	run: async (_, {approve}) => {
		const {allowed} = await approve({act: {kind: 'edit', path: '/a'}, summary: 'Change a?', subject: 'a'});
		return allowed ? 'changed' : 'refused';
	},
};

type Answer = (request: ApprovalQuestion) => ApprovalAnswer;
const yes: Answer = ({hash}) => ({allowed: true, hash, keep: 'session'});

/** Runs a model that writes the call twice, in two turns. Returns the questions, the results and the end. */
async function run(
	answer: Answer | undefined,
	{mode = 'ask', event = written('change')}: {readonly mode?: ApprovalMode; readonly event?: ProviderEvent} = {},
) {
	const asked: string[] = [];
	const approvals = approvalsOf(
		async request => {
			asked.push(request.summary);
			return answer ? answer(request) : decideUnasked('all')(request);
		},
		{
			mode: () => mode,
			judge: async () => ({effect: 'allow', by: [parseRule('edit_file(a)')]}),
		},
	).startRun();
	const model = scriptedModel(
		[event, finish('tool-calls')],
		[event, finish('tool-calls')],
		[text('Done.'), finish('stop')],
	);
	const events = await collect(runAgent(runOptions({ask: model.ask, tools: [change, echo], approvals})));
	const results = events.flatMap(each => (each.type === 'tool-result' ? [each.output] : []));
	return {asked, results, events};
}

describe('a call that the model wrote as text', () => {
	test.each<ApprovalMode>(['ask', 'edits', 'all'])(
		'[14] asks each time in mode %s, though a rule allows it',
		async mode => {
			const {asked, results} = await run(yes, {mode});
			expect([asked, results]).toEqual([
				['Change a?', 'Change a?'],
				['changed', 'changed'],
			]);
			expect((await run(yes, {mode, event: call('change')})).asked).toEqual([]);
		},
	);

	test('[14] is not allowed by the flags of a run without a user', async () => {
		const {results} = await run(undefined);
		expect(results).toEqual([
			"Not allowed: Change a? This run can't ask the user for approval. Continue without it, and tell the user that only the app can ask them.",
			"Not allowed: Change a? This run can't ask the user for approval. Continue without it, and tell the user that only the app can ask them.",
		]);
	});

	test('runs without a question if it only reads, and the user is told how to turn on the parser', async () => {
		const {asked, results, events} = await run(undefined, {event: written('echo')});
		expect([asked, results]).toEqual([[], ['echo undefined', 'echo undefined']]);
		expect(events).toContainEqual({
			type: 'notice',
			level: 'warning',
			text: 'The model wrote its tool call as text: its host has no parser for it.',
			hint: expect.stringMatching(/vLLM: --enable-auto-tool-choice --tool-call-parser.*|llama\.cpp: --jinja/),
		});
	});

	test('ends the run as incomplete if it cannot be read', async () => {
		const {ask} = scriptedModel([text('<function=echo>'), finish('written-call')]);
		expect((await collect(runAgent(runOptions({ask, model: 'ollama/qwen'})))).at(-1)).toEqual({
			type: 'run-end',
			reason: 'incomplete',
			stopReason: 'incomplete',
			error: {
				code: 'incomplete',
				message: "The model wrote a tool call as text that can't be read, so nothing was run.",
				hint: expect.stringContaining('Ollama: a model whose template has tools'),
			},
		});
	});
});

describe('a text that turns out to be reasoning', () => {
	const script: readonly ProviderEvent[] = [
		{type: 'text-delta', id: 'text-0', text: 'Hm.'},
		{type: 'reclassify', id: 'text-0'},
	];

	test('is reasoning in the transcript and in the next request', async () => {
		const answer: ProviderEvent = {type: 'text-delta', id: 'text-1', text: 'Yes.'};
		const {ask, asked} = scriptedModel(
			[...script, answer, call('echo'), finish('tool-calls')],
			[text('Done.'), finish('stop')],
		);
		const events = await collect(runAgent(runOptions({ask})));
		expect(transcriptOf(events).settled.map(block => [block.kind, 'text' in block && block.text])).toMatchObject([
			['user', 'Hello'],
			['reasoning', 'Hm.'],
			['text', 'Yes.'],
			['tool', false],
			['text', 'Done.'],
		]);
		expect(asked[1]?.[1]).toMatchObject({
			parts: [{type: 'reasoning', text: 'Hm.'}, {type: 'text', text: 'Yes.'}, {type: 'tool-call'}],
		});
	});

	test('is no answer', async () => {
		const {ask} = scriptedModel([...script, finish('stop')]);
		expect((await collect(runAgent(runOptions({ask})))).at(-1)).toMatchObject({
			reason: 'incomplete',
			error: {message: 'The model gave no answer, only its reasoning.'},
		});
	});

	test('is reasoning also where something came between its pieces', async () => {
		const {ask} = scriptedModel([...script, text('Yes.'), finish('stop')]);
		const events = await collect(runAgent(runOptions({ask})));
		const at = events.findIndex(({type}) => type === 'reclassify');
		const torn = [
			...events.slice(0, at),
			{type: 'notice', level: 'info', text: 'Between.'} as const,
			{type: 'text-delta', id: 'text-0', messageId: 'id-1', text: ' Hm again.'} as const,
			...events.slice(at),
		];
		const blocks = transcriptOf(torn).settled;
		expect(blocks.flatMap(block => (block.kind === 'reasoning' || block.kind === 'text' ? [block.kind] : []))).toEqual([
			'reasoning',
			'reasoning',
			'text',
		]);
	});
});
