import {expect, test} from 'vitest';
import {createModelWindows} from '../../src/agent/context/model-windows.ts';
import type {Message} from '../../src/core/session/message.ts';
import {toMessages} from '../../src/core/session/read-conversation.ts';
import {reduceTranscript} from '../../src/core/session/reduce-transcript.ts';
import {sessionUsage} from '../../src/core/session/session-usage.ts';
import {emptyTranscript} from '../../src/core/session/transcript.ts';
import {scripted} from '../store/scripted-conversation.ts';
import {createCountingModel, requestTokens} from './counting-model.ts';

const windowSize = 18_000;

/** Returns windows that all have this size. */
const windowsOfSize = (size: number) =>
	createModelWindows({inTable: async () => ({contextWindow: size}), locate: () => undefined});

test('500 turns through four compactions: pinned text stays in every request, totals are the sum of the requests, undo restores the request', async () => {
	const model = createCountingModel();
	const {conversation, transcript, records} = scripted([], {
		openModel: async () => model.ask,
		windows: windowsOfSize(windowSize),
	});
	await conversation.send('Rule one: never touch the folder migrations.');
	conversation.pin(records().flatMap(({event}) => (event.type === 'user-message' ? [event.id] : []))[0] ?? '', true);
	for (let turn = 1; turn < 500; turn++) {
		await conversation.send(`Question ${turn}: ${'why? '.repeat(20)}`);
	}

	expect(transcript().compactions).toBe(4);
	for (const request of model.requests) {
		expect(textOf(request)).toContain('never touch the folder migrations');
		expect(requestTokens(request)).toBeLessThan(windowSize);
	}

	const usage = sessionUsage(transcript(), () => undefined);
	expect(usage).toMatchObject({
		compaction_count: 4,
		total_input_tokens: model.requests.reduce((sum, request) => sum + requestTokens(request), 0),
		total_output_tokens: model.output(),
	});
	expect(usage.current_input_tokens).toBeLessThan(usage.total_input_tokens);
	expect(records().reduce(reduceTranscript, emptyTranscript(transcript().session))).toEqual(transcript());

	const before = toMessages(transcript());
	await conversation.compact('keep the rule');
	expect(transcript().compactions).toBe(5);
	expect(toMessages(transcript())).toHaveLength(1);
	expect(conversation.undoCompaction()).toBe(true);
	expect(toMessages(transcript())).toEqual(before);
	expect(conversation.undoCompaction()).toBe(false);
	await conversation.send('Go on.');
	expect(JSON.stringify(model.requests.at(-1)?.slice(0, -1))).toBe(JSON.stringify(before));
});

test('a pinned message keeps its images and attachments in each request after a compaction, and when it is resumed', async () => {
	const model = createCountingModel();
	const image = {hash: 'a'.repeat(64), type: 'image/png', width: 4, height: 3, bytes: 3} as const;
	const {conversation, transcript, records, store} = scripted([], {
		openModel: async () => model.ask,
		images: {save: async () => image.hash, load: async () => Buffer.from('png')},
		mentions: {
			hide: text => text,
			sources: [
				{
					read: async name =>
						name === 'notes'
							? {source: 'file', name, text: '[The user attached notes: be kind.]'}
							: {source: 'image', name, text: `[The user attached ${name}.]`, images: [image]},
				},
			],
		},
	});
	store.getState().setModel('openai/gpt-5');
	await conversation.send('Draw it like @shot and @notes say.');
	conversation.pin(records().flatMap(({event}) => (event.type === 'user-message' ? [event.id] : []))[0] ?? '', true);
	for (const again of ['Go on.', 'And on.']) {
		await conversation.compact();
		await conversation.send(again);
		const [first] = model.requests.at(-1) ?? [];
		expect(first).toMatchObject({
			text: expect.stringMatching(
				/pinned[\s\S]*Draw it like[\s\S]*attached shot\.\]\n\n\[The user attached notes: be kind/,
			),
			images: [{hash: image.hash, data: Buffer.from('png').toString('base64')}],
		});
	}

	const resumed = records().reduce(reduceTranscript, emptyTranscript(transcript().session));
	expect(toMessages(resumed)).toEqual(toMessages(transcript()));
	expect(toMessages(resumed)[0]).toMatchObject({images: [image]});
	expect(conversation.undoCompaction()).toBe(true);
});

test('a conversation is compacted at the share of the window that the user set', async () => {
	const turnsUntilCompaction = async (share: number | undefined) => {
		const model = createCountingModel();
		const {conversation, transcript} = scripted([], {
			openModel: async () => model.ask,
			windows: windowsOfSize(windowSize),
			compactionShare: async () => share,
		});
		for (let turn = 1; ; turn++) {
			await conversation.send(`Question ${turn}: ${'why? '.repeat(20)}`);
			if (transcript().compactions > 0) {
				return turn;
			}
		}
	};
	const [usual = 0, early = 0] = [await turnsUntilCompaction(undefined), await turnsUntilCompaction(0.25)];
	expect(early / usual).toBeGreaterThan(0.35);
	expect(early / usual).toBeLessThan(0.5);
});

test('a message that is sent while the conversation is compacted is answered from the summary', async () => {
	const model = createCountingModel();
	const {conversation, store} = scripted([], {openModel: async () => model.ask});
	await conversation.send('One.');
	const compacting = conversation.compact();
	store.getState().enqueue({id: 'q', text: 'Two.'});
	await compacting;
	expect(model.requests.map(request => request.map(message => textOf([message]).slice(-20)))).toEqual([
		['One.'],
		[expect.stringContaining('no tools.')],
		[expect.stringContaining('mmary of 1 messages.'), 'Two.'],
	]);
});

test('[8] a credential in what the summary must keep does not reach the model', async () => {
	const model = createCountingModel();
	const {conversation} = scripted([], {openModel: async () => model.ask});
	await conversation.send('One.');
	const token = `ghp_${'aB3'.repeat(12)}`;
	await conversation.compact(`keep ${token}`);
	const sent = JSON.stringify(model.requests);
	expect([sent.includes('The user asks for this summary: keep ***'), sent.includes(token)]).toEqual([true, false]);
});

test('compacting is refused while the agent works', async () => {
	const {conversation} = scripted([[new Promise(() => undefined)]]);
	const run = conversation.send('Wait.');
	await expect(conversation.compact()).rejects.toMatchObject({code: 'conflict'});
	conversation.interrupt();
	await run;
});

test('an interrupted compaction changes nothing', async () => {
	const {conversation, transcript, ends} = scripted([[new Promise(() => undefined)]]);
	const first = conversation.send('One.');
	conversation.interrupt();
	await first;
	const before = toMessages(transcript());
	const compacting = conversation.compact();
	conversation.interrupt();
	await compacting;
	expect(toMessages(transcript())).toEqual(before);
	expect(ends()).toEqual(['interrupted', 'interrupted']);
});

const textOf = (messages: readonly Message[]) =>
	messages.map(message => ('text' in message ? message.text : JSON.stringify(message))).join('\n');
