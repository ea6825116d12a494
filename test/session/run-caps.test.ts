import {expect, test} from 'vitest';
import {defaultLimits} from '../../src/core/caps.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {call, echo, finish, type Script, text} from '../agent/scripted.ts';
import {scripted} from '../store/scripted-conversation.ts';

const again: Script = [call('echo', {word: 'a'}, ''), finish('tool-calls')];
const done: Script = [text('Done.'), finish('stop')];

/** A conversation with a cap of so many turns. The echo differs each time, as in work that goes on. */
function capped(turns: number, scripts: readonly Script[], more: Parameters<typeof scripted>[1] = {}) {
	let count = 0;
	const here = scripted(scripts, {
		loadTools: async () => [{...echo, run: async () => `${++count}`}],
		capLimits: async () => ({...defaultLimits, turns}),
		...more,
	});
	const lastEnd = () =>
		here
			.records()
			.map(({event}) => event)
			.findLast((event): event is Extract<AgentEvent, {type: 'run-end'}> => event.type === 'run-end');
	return {...here, lastEnd};
}

test('runs of watches count on, and with no turn left they send nothing; a message of the user counts from 0', async () => {
	const {conversation, model, ends, lastEnd} = capped(3, [again, done, again, again, done]);
	await conversation.send('Look.', 'watch');
	expect([ends(), model.asked.length]).toEqual([['done'], 2]);
	await conversation.send('Look.', 'watch');
	expect([ends(), model.asked.length]).toEqual([['done', 'budget'], 3]);
	await conversation.send('Look.', 'watch');
	expect([ends(), model.asked.length]).toEqual([['done', 'budget', 'budget'], 3]);
	expect(lastEnd()?.error).toEqual({
		code: 'budget',
		message: 'No turn is left: 3 were used since your last message.',
		hint: 'Send a message to continue. Raise the limit: `config set max_turns 6`',
	});
	await conversation.send('Go on.');
	expect([ends().at(-1), model.asked.length]).toEqual(['done', 5]);
	await conversation.send('Look.', 'watch');
	expect([ends().at(-1), model.asked.length]).toEqual(['done', 6]);
	await conversation.send('Look.', 'watch');
	expect([ends().at(-1), model.asked.length]).toEqual(['budget', 6]);
});

test('a compaction that the user asks for gives no turn back; a new session has all of them', async () => {
	const {conversation, model, ends} = capped(2, [again, done, done]);
	await conversation.send('Look.', 'watch');
	await conversation.compact();
	const {length} = model.asked;
	await conversation.send('Look.', 'watch');
	expect([ends().at(-1), model.asked.length]).toEqual(['budget', length]);
	await conversation.start();
	await conversation.send('Look.', 'watch');
	expect([ends().at(-1), model.asked.length]).toEqual(['done', length + 1]);
});

test('a message that the user sends during a run counts from 0, one of a watch does not', async () => {
	for (const [by, requests] of [
		[undefined, 5],
		['watch', 3],
	] as const) {
		let sent: Promise<void> | undefined;
		const here = capped(3, [again], {
			loadTools: async () => [
				{
					...echo,
					async run() {
						sent ??= here.model.asked.length === 2 ? here.conversation.send('And this.', by) : undefined;
						return `${here.model.asked.length}`;
					},
				},
			],
		});
		await here.conversation.send('Begin.');
		await sent;
		expect([here.ends(), here.model.asked.length]).toEqual([['budget'], requests]);
	}
});

test('a script has the turns that its flag allows, also more than the cap', async () => {
	const {conversation, model, lastEnd} = capped(3, [again], {maxTurns: 5});
	await conversation.send('Begin.');
	expect([lastEnd()?.error?.message, model.asked.length]).toEqual(['Reached the limit of 5 turns.', 5]);
});
