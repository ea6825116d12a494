import {expect, test} from 'vitest';
import {runAgent} from '../../src/agent/run.ts';
import {addCallDelta} from '../../src/providers/chat/openai-chat.ts';
import {openChunks} from '../../src/providers/chunks.ts';
import {call, collect, finish, runOptions, scriptedModel, text} from '../agent/scripted.ts';
import {fakeHost, requestOf} from './replay.ts';

const vendor = {name: 'custom', label: 'The host'} as const;

/** Repeats a piece endlessly, and counts how often. */
function endless(piece: string) {
	const bytes = new TextEncoder().encode(piece);
	let sent = 0;
	const body = (async function* () {
		for (;;) {
			sent++;
			yield bytes;
		}
	})();
	return {body, sent: () => sent};
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
	const {transport} = fakeHost({body});
	for await (const _ of await openChunks(requestOf(transport), vendor, {url: 'https://host.test/v1/x', body: {}})) {
		// The events don't matter.
	}
}

test('an endless answer is stopped at 128 MB [21]', async () => {
	const event = endless(`data: {"text":"${'word '.repeat(400_000)}"}\n\n`);
	await expect(drain(event.body)).rejects.toMatchObject({
		code: 'network',
		message: 'The host sent more than 128 MB in one answer.',
		permanent: true,
	});
	expect(event.sent()).toBe(64);
});

test('endless white space is not an answer [21]', async () => {
	const blank = endless(' '.repeat(1024 * 1024));
	await expect(drain(blank.body)).rejects.toThrow('longer than 8 MiB');
	expect(blank.sent()).toBeLessThan(12);
});

test('a message may have a thousand calls and no more, in any format [21]', async () => {
	const calls = (count: number) => Array.from({length: count}, (_, index) => call('echo', {}, `call-${index}`));
	const tooMany = {
		code: 'provider',
		message: 'The model requested more than 1,000 tool calls at once.',
		hint: 'Ask again, or select another model.',
	};
	for (const [count, end] of [
		[1000, {reason: 'done'}],
		[1001, {reason: 'error', error: tooMany}],
	] as const) {
		const {ask} = scriptedModel([...calls(count), finish('tool-calls')], [text('Done.'), finish('stop')]);
		const events = await collect(runAgent(runOptions({ask})));
		expect(events.filter(({type}) => type === 'tool-call')).toHaveLength(1000);
		expect(events.at(-1)).toMatchObject({type: 'run-end', ...end});
	}

	const growing = Array.from({length: 1000}, (_, index) => ({index, id: `${index}`, name: 'f', arguments: ''}));
	expect(() => addCallDelta(growing, {index: 1000, id: 'x', function: {name: 'f', arguments: ''}})).toThrow(
		tooMany.message,
	);
});
