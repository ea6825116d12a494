import {createHook} from 'node:async_hooks';
import {expect, test} from 'vitest';
import {runAgent} from '../../src/agent/run.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import type {Message} from '../../src/core/session/message.ts';
import {adapterOf, collect, fakeHost, requestOf} from '../providers/replay.ts';
import {mostFor} from '../stored-cost.ts';
import {runOptions} from './scripted.ts';

const chunk = (delta: object, finish?: string) =>
	`data: ${JSON.stringify({choices: [{index: 0, delta, finish_reason: finish}]})}\n\n`;

/** An answer of `reads` pieces of the body, each with `tokens` tokens. */
async function* answerOf(reads: number, tokens: number): AsyncGenerator<Uint8Array> {
	const piece = new TextEncoder().encode(chunk({content: 'word '}).repeat(tokens));
	for (let read = 0; read < reads; read++) {
		yield piece;
	}

	yield new TextEncoder().encode(`${chunk({}, 'stop')}data: [DONE]\n\n`);
}

/** Runs one message whose answer comes in these pieces. Returns its events, and the number of promises that it took. */
async function run(reads: number, tokens: number) {
	const provider = await adapterOf('openai-chat');
	const {transport} = fakeHost({body: answerOf(reads, tokens)});
	const ask = (messages: readonly Message[], signal: AbortSignal) => provider(requestOf(transport, {messages, signal}));
	const running = runAgent(runOptions({ask, tools: []}));
	let promises = 0;
	const hook = createHook({
		init(_, type) {
			promises += type === 'PROMISE' ? 1 : 0;
		},
	});
	hook.enable();
	const events: AgentEvent[] = await collect(running).finally(() => hook.disable());
	return {promises, deltas: events.flatMap(event => (event.type === 'text-delta' ? [event.text] : []))};
}

/** Promises for each read of the network. Lower it when a change makes one cheaper; a raise needs a reason in the commit. */
const stored = 26;

test('a read of the network costs no more promises than it did', async () => {
	const [few, many] = [await run(50, 1), await run(150, 1)];
	expect(many.deltas).toHaveLength(150);
	expect((many.promises - few.promises) / 100).toBeLessThanOrEqual(mostFor(stored));
});

test('a thousand tokens of one read are one event and cost the promises of one token', async () => {
	const [one, thousand] = [await run(10, 1), await run(10, 1000)];
	expect(thousand.deltas).toEqual(Array.from({length: 10}, () => 'word '.repeat(1000)));
	expect(thousand.promises).toBe(one.promises);
});
