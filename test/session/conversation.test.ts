import {describe, expect, test} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import type {AgentEvent, Recorded} from '../../src/core/session/event.ts';
import {deferred} from '../../src/ui/opening/turns.ts';
import {call, echo, finish, type Script, text} from '../agent/scripted.ts';
import {scripted, server} from '../store/scripted-conversation.ts';

const turns = () => new Promise(resolve => setTimeout(resolve, 5));
const usage = {input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0};

describe('a message', () => {
	test('ends its run once, and every event is in the log, in order and without gaps', async () => {
		const {conversation, records, types, ends, transcript} = scripted([
			[call('echo', {word: 'a'}), finish('tool-calls')],
			[text('Done.'), finish('stop')],
		]);
		await conversation.send('Hello');
		expect(types()).toEqual(['run-start', 'user-message', 'tool-call', 'tool-result', 'text-delta', 'run-end']);
		expect(records().map(({seq}) => seq)).toEqual([0, 1, 2, 3, 4, 5]);
		expect(ends()).toEqual(['done']);
		expect(new Set(records().map(({session}) => session))).toEqual(new Set([transcript().session]));
		expect(transcript().run).toBe(undefined);
		expect(transcript().seq).toBe(5);
	});

	test('reaches the model with all earlier messages', async () => {
		const {conversation, model} = scripted([[text('One.'), finish('stop')]]);
		await conversation.send('first');
		await conversation.send('second');
		expect(model.asked[1]?.map(message => ('text' in message ? message.text : message.role))).toEqual([
			'first',
			'assistant',
			'second',
		]);
	});

	test('continues the numbering in the next run', async () => {
		const {conversation, records} = scripted([[text('One.'), finish('stop')]]);
		await conversation.send('first');
		await conversation.send('second');
		expect(records().map(({seq}) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
	});

	test('that is sent during a run waits, and joins it', async () => {
		const {promise: passed, resolve: open} = deferred();
		const {conversation, store, types, ends} = scripted([
			[text('One.'), passed, finish('stop')],
			[text('Two.'), finish('stop')],
		]);
		const done = conversation.send('first');
		await turns();
		const joined = conversation.send('second');
		expect(store.getState().queue.map(message => message.text)).toEqual(['second']);
		open();
		await Promise.all([done, joined]);
		expect(store.getState().queue).toEqual([]);
		expect(types().filter(type => type === 'user-message')).toHaveLength(2);
		expect(ends()).toEqual(['done']);
	});

	test('without a usable model ends the run with the error', async () => {
		const {conversation, ends, transcript} = scripted([], {
			openModel: () => Promise.reject(new Error('broken')),
		});
		await conversation.send('Hello');
		expect(ends()).toEqual(['error']);
		expect(transcript().settled.map(({kind}) => kind)).toEqual(['user', 'end']);
	});
});

describe('an interrupt', () => {
	test('ends the run once, keeps the answer so far, and leaves the queue as it is', async () => {
		const {promise: passed} = deferred();
		const {conversation, store, ends, transcript} = scripted([[text('Half'), passed]]);
		const done = conversation.send('Hello');
		await turns();
		await Promise.race([conversation.send('queued'), turns()]);
		conversation.interrupt();
		conversation.interrupt();
		await done;
		expect(ends()).toEqual(['interrupted']);
		expect(transcript().settled).toMatchObject([{text: 'Hello'}, {text: 'Half'}, {reason: 'interrupted'}]);
		expect(store.getState().queue).toHaveLength(1);
	});

	test('is shown until the run has ended, which waits for what is in the middle of a change', async () => {
		const {promise: passed, resolve: open} = deferred();
		const slow = {...echo, readOnly: false, run: async () => passed.then(() => 'Written.')};
		const {conversation, store, types} = scripted([[call('echo'), finish('tool-calls')]], {
			loadTools: async () => [slow],
		});
		const done = conversation.send('Hello');
		await turns();
		conversation.interrupt();
		expect(store.getState().isStopping).toBe(true);
		open();
		await done;
		expect(store.getState().isStopping).toBe(false);
		expect(types().slice(-2)).toEqual(['tool-result', 'run-end']);
	});

	test('before the model is asked, or without a run, does nothing', async () => {
		const {conversation, ends, types} = scripted([[text('One.'), finish('stop')]]);
		conversation.interrupt();
		expect(types()).toEqual([]);
		const done = conversation.send('Hello');
		conversation.interrupt();
		await done;
		expect(ends()).toEqual(['interrupted']);
		await conversation.send('Again');
		expect(ends()).toEqual(['interrupted', 'done']);
	});
});

describe('another session', () => {
	test.each(['start', 'open', 'close'] as const)('%s ends the run and closes its log first', async how => {
		const {promise: passed} = deferred();
		const {conversation, ends, closed, transcript, store} = scripted([[text('Half'), passed]]);
		const before = transcript().session;
		void conversation.send('Hello');
		await turns();
		const log = {
			append: () => undefined,
			flush: async () => undefined,
			settle: async () => undefined,
			close: async () => undefined,
		};
		const other = {...transcript(), session: 'other', run: undefined, settled: [], open: [], seq: 6};
		await (how === 'open' ? conversation.open(other, log) : conversation[how]());
		expect(ends()).toEqual(['interrupted']);
		expect(closed).toEqual([before]);
		expect(store.getState().transcript.session === before).toBe(how === 'close');
	});

	test('that is opened continues after its last record, in its own log', async () => {
		const {conversation, records, transcript} = scripted([[text('One.'), finish('stop')]]);
		const appended: Recorded[] = [];
		const log = {
			append: (record: Recorded) => void appended.push(record),
			flush: async () => undefined,
			settle: async () => undefined,
			close: async () => undefined,
		};
		await conversation.open({...transcript(), session: 'other', seq: 6}, log);
		await conversation.send('Hello');
		expect(appended.map(({session, seq}) => [session, seq])).toEqual([7, 8, 9, 10].map(seq => ['other', seq]));
		expect(records()).toEqual([]);
	});

	test('that forks before a message holds what came before it, and the old one stays unchanged', async () => {
		const {conversation, logs, transcript} = scripted([[text('One.'), finish('stop')]]);
		await conversation.send('first');
		await conversation.send('second');
		const before = transcript().session;
		const second = transcript().settled.findLast(block => block.kind === 'user');
		const kept = [...(logs.get(before) ?? [])];
		await conversation.fork(second?.id ?? '');
		expect(logs.get(before)).toEqual(kept);
		expect(transcript().session).not.toBe(before);
		expect(transcript().settled.map(block => ('text' in block ? block.text : ''))).toEqual(['first', 'One.']);
		await conversation.send('other');
		expect(logs.get(transcript().session)?.map(({seq}) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
	});
});

test.each([
	['is missing', undefined, 'There is no session.'],
	['is incomplete', 'disk full', 'This session is not saved (disk full), so it cannot continue from there.'],
])('a session whose log %s stays open when a message cannot be replaced', async (_, unsaved, message) => {
	const {conversation, store, transcript, closed, logs} = scripted(
		[
			[text('one'), finish('stop')],
			[text('two'), finish('stop')],
		],
		{
			async readLog() {
				throw new AppError('not-found', 'There is no session.');
			},
		},
	);
	await conversation.send('first');
	const {session} = transcript();
	store.getState().setUnsaved(unsaved);
	await expect(conversation.fork('id-4')).rejects.toThrow(message);
	await conversation.send('second');
	expect({session: transcript().session, closed, logs: [...logs.keys()]}).toEqual({
		session,
		closed: [],
		logs: [session],
	});
});

test('a rename is recorded like any other event, even during a run', async () => {
	const {promise: passed, resolve: open} = deferred();
	const {conversation, records, transcript} = scripted([[text('One.'), passed, finish('stop')]]);
	const done = conversation.send('Hello');
	await turns();
	conversation.rename('Greeting');
	expect(transcript().title).toBe('Greeting');
	open();
	await done;
	expect(records().map(({seq}) => seq)).toEqual([0, 1, 2, 3, 4]);
});

test('every record of a run carries the server that the run started on [20]', async () => {
	const {promise: passed, resolve: open} = deferred();
	const {conversation, records, store} = scripted([[text('One.'), passed, text('Two.'), finish('stop')]]);
	const done = conversation.send('Hello');
	await turns();
	store.getState().setConnection({profile: 'two', server: 'https://two.example', state: 'ready'});
	conversation.rename('Greeting');
	open();
	await done;
	expect(new Set(records().map(record => record.server))).toEqual(new Set([server]));
	expect(store.getState().transcript.settled).toMatchObject([{text: 'Hello'}, {text: 'One.Two.'}]);
	await conversation.send('Again');
	expect(records().at(-1)?.server).toBe('https://two.example');
});

test('onRecord gets each record as it is logged', async () => {
	const heard: AgentEvent[] = [];
	const {conversation, records} = scripted([[text('One.'), finish('stop')]], {
		onRecord: record => heard.push(record.event),
	});
	await conversation.send('Hello');
	expect(heard).toEqual(records().map(({event}) => event));
});

test('a budget ends the run that used it up, and each run starts at zero', async () => {
	const spend: Script = [{type: 'usage', usage}, call('echo', {word: 'a'}), finish('tool-calls')];
	const price = {input: 1, cacheRead: 1, cacheWrite: 1, output: 1};
	const loadPrices = async () => () => price;
	const {conversation, store, ends} = scripted([spend], {budget: {limitUsd: 1.5, loadPrices}});
	await conversation.send('Hello');
	const first = store.getState().transcript.usage.size;
	await conversation.send('Again');
	expect(ends()).toEqual(['budget', 'budget']);
	expect([first, store.getState().transcript.usage.size]).toEqual([2, 4]);
});
