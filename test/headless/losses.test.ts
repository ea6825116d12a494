import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {AgentEvent, Recorded} from '../../src/core/session/event.ts';
import {emptyTranscript} from '../../src/core/session/transcript.ts';
import {createLosses} from '../../src/headless/losses.ts';
import {runOnce} from '../../src/headless/once.ts';
import {createAppStore} from '../../src/store/store.ts';
import {output} from './output.ts';

type Loss = {readonly events: readonly AgentEvent[]; readonly warning?: string; readonly refused?: number};

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const base = {hash: 'h'} as const;

/** Kinds of what a run may lose, each with what it must be called. */
const loss: fc.Arbitrary<Loss> = fc.oneof(
	word.map(
		text => ({events: [{type: 'notice', level: 'warning', text: `cut ${text}`}], warning: `cut ${text}`}) as const,
	),
	word.map(
		text => ({events: [{type: 'notice', level: 'error', text: `bug ${text}`}], warning: `bug ${text}`}) as const,
	),
	word.map(
		text => ({events: [{type: 'notice', level: 'warning', text: `two\n  ${text}`}], warning: `two ${text}`}) as const,
	),
	word.map(text => ({events: [{type: 'notice', level: 'info', text}]}) as const),
	word.map(name => {
		const text = `[@${name} is not attached: secret.]`;
		const attachment = {type: 'attachment', id: 'm', source: 'none', name, text, tokens: 1} as const;
		return {events: [attachment], warning: text.slice(1, -1)};
	}),
	word.map(reason => {
		const call = {type: 'tool-call', id: 'h1', messageId: 'm', name: 'run_command', arguments: {}} as const;
		const result = {
			type: 'tool-result',
			id: 'h1',
			output: `Denied by a hook: ${reason}`,
			facts: {denied: 'hook', from: 18},
			failed: true,
			milliseconds: 1,
		} as const;
		return {events: [call, result], warning: `A hook denied run_command: ${reason}`};
	}),
	fc.tuple(word, fc.boolean()).map(([act, isTask]) => {
		const events = [
			{type: 'approval-request', id: 'a', summary: `Run ${act}?`, ...base},
			{type: 'approval-answer', id: 'a', allowed: false, by: 'flag', ...base},
		] as const;
		return {events: isTask ? events.map(event => ({type: 'task', id: 't', event}) as const) : events, refused: 1};
	}),
	word.map(text => ({
		events: [{type: 'task', id: 't', event: {type: 'notice', level: 'warning', text: `task ${text}`}} as const],
		warning: `task ${text}`,
	})),
	word.map(message => {
		const error = {code: 'failed', message} as const;
		const event = {type: 'run-end', reason: 'error', stopReason: 'error', error} as const;
		return {events: [{type: 'task', id: 't', event} as const], warning: `A sub-agent ended early: ${message}`};
	}),
	fc.constant({events: [{type: 'approval-answer', id: 'a', allowed: true, by: 'flag', ...base} as const]}),
);

type Run = {
	readonly losses: readonly Loss[];
	readonly before: readonly string[];
	readonly isStrict: boolean;
	readonly isDoubtful: boolean;
	readonly format: 'text' | 'json' | 'stream-json';
};

/** Runs a conversation that does nothing but lose these. */
async function run({losses: lost, before, isStrict, isDoubtful, format}: Run) {
	const store = createAppStore();
	const [stdout, stderr] = [output(), output()];
	const losses = createLosses(stderr);
	for (const text of before) {
		losses.warn(text);
	}

	if (isDoubtful) {
		losses.doubt('Nothing came.');
	}

	let listen: (record: Recorded) => void = () => undefined;
	const answer: AgentEvent = {type: 'text-delta', id: 'x', messageId: 'm1', text: 'Answer.'};
	const events = [
		answer,
		...lost.flatMap(({events: each}) => each),
		{type: 'run-end', reason: 'done', stopReason: 'end_turn'} as const,
	];
	const conversation = {
		async send() {
			store.setState({transcript: emptyTranscript('s')});
			const records = events.map(
				(event, seq) => ({v: 1, seq, at: '2026-01-01T00:00:00Z', session: 's', server: 'local', event}) as const,
			);
			store.getState().applyRecords(records);
			for (const record of records) {
				listen(record);
			}
		},
		close: async () => undefined,
	};
	const status = await runOnce('Hi', format, {
		...{store, stdout, stderr, losses, isStrict},
		conversation,
		onRecord: listener => {
			listen = listener;
		},
		priceOf: async () => () => undefined,
	});
	return {status, stdout: stdout.text(), stderr: stderr.text()};
}

const runs = fc.record<Run>({
	losses: fc.array(loss, {maxLength: 8}),
	before: fc.array(
		word.map(text => `before ${text}`),
		{maxLength: 3},
	),
	isStrict: fc.boolean(),
	isDoubtful: fc.boolean(),
	format: fc.constantFrom('text', 'json', 'stream-json'),
});

test('each loss is named once, in the result and as a line, and the status follows', async () => {
	await fc.assert(
		fc.asyncProperty(runs, async given => {
			const {status, stdout, stderr} = await run(given);
			const named = [
				...given.before,
				...(given.isDoubtful ? ['Nothing came.'] : []),
				...given.losses.flatMap(({warning = ''}) => warning || []),
			];
			const warnings = [...new Set(named)];
			const refused = given.losses.reduce((sum, each) => sum + (each.refused ?? 0), 0);
			const lines = stderr.split('\n').filter(line => line.startsWith('service: '));
			const isRefusal = (line: string) => line.startsWith('service: Refused without asking');
			expect(lines.filter(line => !isRefusal(line))).toEqual(warnings.map(text => `service: ${text}`));
			expect(lines.filter(isRefusal)).toHaveLength(refused);
			const isLossy = warnings.length + refused > 0;
			expect(status).toBe(given.isDoubtful || (given.isStrict && isLossy) ? 3 : 0);
			if (given.format === 'text') {
				expect(stdout).toBe('Answer.\n');
			} else {
				const result = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
				expect(result).toMatchObject({text: 'Answer.', stop_reason: 'end_turn', warnings, refused});
				expect(result.error?.code).toBe(given.isDoubtful ? 'incomplete' : undefined);
			}
		}),
		{numRuns: 150},
	);
});
