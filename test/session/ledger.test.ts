import {describe, expect, test} from 'vitest';
import {createModelRetry} from '../../src/agent/model-retry.ts';
import {AppError} from '../../src/core/error.ts';
import {reduceTranscript} from '../../src/core/session/reduce-transcript.ts';
import {sessionUsage} from '../../src/core/session/session-usage.ts';
import {emptyTranscript, type Transcript} from '../../src/core/session/transcript.ts';
import type {ModelCall, ModelEvent, ProviderEvent} from '../../src/providers/provider.ts';
import {type Recording, recordings} from '../providers/recordings.ts';
import {adapterOf, fakeHost, requestOf} from '../providers/replay.ts';
import {scripted} from '../store/scripted-conversation.ts';

type Buckets = Recording['usage'];

const answer: readonly ProviderEvent[] = [
	{type: 'text-delta', id: 't', text: 'Done.'},
	{type: 'finish', reason: 'stop'},
];

/** Returns the total of a session, with the names of the recordings. */
function shown(transcript: Transcript): Buckets {
	const usage = sessionUsage(transcript, () => undefined);
	return {
		input_tokens: usage.total_input_tokens,
		cache_read_input_tokens: usage.total_cache_read_input_tokens,
		cache_creation_input_tokens: usage.total_cache_creation_input_tokens,
		output_tokens: usage.total_output_tokens,
	};
}

function times(count: number, {reasoning_tokens: _, ...buckets}: Buckets): Buckets {
	return Object.fromEntries(Object.entries(buckets).map(([name, tokens]) => [name, count * tokens]));
}

/**
 * Returns a model that answers with the recording each time that it is armed; its other answers report nothing. The first
 * connections are cut after what the vendor reports, as many as `cuts`.
 */
function replaying({wire, vendor, bytes}: Recording, cuts = 0) {
	let left = cuts;
	let isArmed = false;
	const ask: ModelCall = async function* (messages) {
		if (!isArmed) {
			yield* answer;
			return;
		}

		const provider = await adapterOf(wire, vendor);
		const events: ModelEvent[] = [];
		for await (const event of provider(requestOf(fakeHost({body: bytes}).transport, {messages}))) {
			events.push(event);
		}

		if (left > 0) {
			left -= 1;
			yield* events.filter(({type}) => type === 'usage');
			throw new AppError('network', 'The connection was cut.');
		}

		isArmed = false;
		yield* events;
	};
	return {
		openModel: async () => ask,
		arm() {
			isArmed = true;
		},
	};
}

const causesOf = (records: ReturnType<ReturnType<typeof scripted>['records']>) =>
	new Map(records.flatMap(({event}) => (event.type === 'usage' ? [[event.messageId, event.cause]] : [])));

const cases = recordings.map(recording => [recording.id, recording] as const);

describe('the usage that is shown is what the vendor reported', () => {
	test.each(cases)('%s, also after the session was resumed', async (_, recording) => {
		const {openModel, arm} = replaying(recording);
		const first = scripted([], {openModel});
		arm();
		await first.conversation.send('Hi.');
		expect(shown(first.transcript())).toEqual(times(1, recording.usage));

		const session = first.transcript().session;
		const read = first.records().reduce(reduceTranscript, emptyTranscript(session));
		expect(shown(read)).toEqual(times(1, recording.usage));
		const second = scripted([], {openModel, newId: () => crypto.randomUUID()});
		const {records} = second;
		await second.conversation.open(read, {
			append: record => second.logs.set(session, [...(second.logs.get(session) ?? []), record]),
			flush: async () => undefined,
			settle: async () => undefined,
			close: async () => undefined,
		});
		arm();
		await second.conversation.send('Once more.');
		expect(shown(second.transcript())).toEqual(times(2, recording.usage));
		const all = [...first.records(), ...records()].reduce(reduceTranscript, emptyTranscript(session));
		expect(shown(all)).toEqual(times(2, recording.usage));
	});

	const texts = cases.filter(([, {text, finish}]) => text.trim() && ['stop', 'length'].includes(finish));
	test.each(texts)('%s, for the summary of a compaction', async (_, recording) => {
		const {openModel, arm} = replaying(recording);
		const {conversation, transcript, records} = scripted([], {openModel});
		await conversation.send('Hi.');
		arm();
		await conversation.compact();
		expect(transcript().compactions).toBe(1);
		expect(shown(transcript())).toEqual(times(1, recording.usage));
		expect([...causesOf(records()).values()]).toEqual(['compaction']);
		await conversation.send('And now?');
		conversation.undoCompaction();
		expect(shown(transcript())).toEqual(times(1, recording.usage));
	});

	test.each(cases)('%s, and a retry is a request of its own', async (_, recording) => {
		const {openModel, arm} = replaying(recording, 1);
		const retry = createModelRetry({sleep: async () => undefined, random: () => 0});
		const {conversation, transcript, records} = scripted([], {openModel, retry});
		arm();
		await conversation.send('Hi.');
		expect(shown(transcript())).toEqual(times(2, recording.usage));
		expect([...causesOf(records()).values()]).toEqual(['turn', 'retry']);
	});
});
