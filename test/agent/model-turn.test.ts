import {expect, test} from 'vitest';
import {runAgent} from '../../src/agent/run.ts';
import {AppError} from '../../src/core/error.ts';
import {call, collect, runOptions, type Script, scriptedModel, text} from './scripted.ts';

test.each([
	['content-filter', {vendorReason: 'SAFETY'}, 'The answer was filtered (SAFETY).'],
	['content-filter', {message: 'This was blocked.'}, 'This was blocked.'],
	['length', {message: 'Out of room.'}, 'Out of room.'],
] as const)('an answer that ends with %s and %j says why', async (reason, said, message) => {
	const {ask} = scriptedModel([text('Text.'), {type: 'finish', reason, ...said}]);
	const events = await collect(runAgent(runOptions({ask})));
	expect(events.slice(3)).toEqual([
		{
			type: 'run-end',
			reason: 'done',
			stopReason: reason === 'length' ? 'max_tokens' : 'refusal',
			error: {code: 'incomplete', message},
		},
	]);
});

test.each([
	['hologram', 'The answer ended with “hologram”, an unknown reason. It may be incomplete.'],
	[undefined, 'The answer ended for an unknown reason. It may be incomplete.'],
])('an unknown end reason (%s) makes the answer incomplete', async (vendorReason, message) => {
	const {ask} = scriptedModel([text('Text.'), {type: 'finish', reason: 'other', ...(vendorReason && {vendorReason})}]);
	expect((await collect(runAgent(runOptions({ask})))).at(-1)).toEqual({
		type: 'run-end',
		reason: 'incomplete',
		stopReason: 'incomplete',
		error: {code: 'incomplete', message, hint: 'Ask the model to continue.'},
	});
});

const counted = {input: 50, cacheRead: 10, cacheWrite: 0, output: 1, reasoning: 0};

test.each<[string, Script, object]>([
	[
		'counted so far',
		[{type: 'usage', usage: counted}, text('Half an answer')],
		{...counted, output: 4, estimated: true},
	],
	[
		'counted nowhere',
		[{type: 'reasoning-delta', id: 'r', text: 'Hm, hm.'}, text('数え切れない')],
		{input: 2, cacheRead: 0, cacheWrite: 0, output: 8, reasoning: 2, estimated: true},
	],
	['counted to the end', [{type: 'usage', usage: {...counted, output: 99}}, text('Half')], {...counted, output: 99}],
])('a cut answer that was %s counts, however it was cut', async (_, script, usage) => {
	// A connection breaks, or the host closes it without an end mark.
	for (const cut of [[new AppError('network', 'Cut.')], []]) {
		const {ask} = scriptedModel([...script, ...cut]);
		const events = await collect(runAgent(runOptions({ask, tools: []})));
		expect(events.findLast(event => event.type === 'usage')).toMatchObject({messageId: 'id-1', usage});
	}
});

test('a failed call without any text has no usage', async () => {
	const {ask} = scriptedModel([new AppError('network', 'Cut.')]);
	expect((await collect(runAgent(runOptions({ask})))).some(({type}) => type === 'usage')).toBe(false);
});

test('calls of an answer with an unknown end reason are not run', async () => {
	const {ask, asked} = scriptedModel([
		call('echo', {word: 'a'}),
		{type: 'finish', reason: 'other', vendorReason: 'hologram'},
	]);
	const events = await collect(runAgent(runOptions({ask})));
	expect(events.map(({type}) => type)).toEqual(['run-start', 'user-message', 'tool-call', 'run-end']);
	expect([events.at(-1), asked.length]).toEqual([expect.objectContaining({reason: 'incomplete'}), 1]);
});
