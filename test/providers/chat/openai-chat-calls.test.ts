import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Json} from '../../../src/core/json.ts';
import {addCallDelta, type PartialCall} from '../../../src/providers/chat/openai-chat.ts';

function joined(...deltas: readonly Json[]): readonly string[] {
	const calls: PartialCall[] = [];
	for (const delta of deltas) {
		addCallDelta(calls, delta);
	}

	return calls.map(({id, name, arguments: text}) => `${id} ${name}(${text})`);
}

const delta = (index: number | undefined, id: string | null, name: string | null, text: Json) => ({
	...(index !== undefined && {index}),
	id,
	function: {name, arguments: text},
});

test.each([
	[
		'by index',
		[
			delta(0, 'a', 'f', ''),
			delta(1, 'b', 'g', ''),
			delta(0, null, null, '{"x":'),
			delta(1, null, null, '{}'),
			delta(0, null, null, '1}'),
		],
		['a f({"x":1})', 'b g({})'],
	],
	['with indexes from 1', [delta(1, 'a', 'f', '{}'), delta(2, 'b', 'f', '{}')], ['a f({})', 'b f({})']],
	[
		'without index, whole',
		[delta(undefined, 'a', 'f', '{}'), delta(undefined, 'b', 'f', '{}')],
		['a f({})', 'b f({})'],
	],
	['without index or id', [delta(undefined, null, 'f', '{}'), delta(undefined, null, 'f', '{}')], [' f({})', ' f({})']],
	[
		'without index, in pieces',
		[delta(undefined, 'a', 'f', '{"x"'), delta(undefined, null, null, ':1}')],
		['a f({"x":1})'],
	],
	['with one index for all', [delta(0, 'a', 'f', '{}'), delta(0, 'b', 'g', '{}')], ['a f({})', 'b g({})']],
	['with one index and one id for all', [delta(0, 'a', 'f', '{}'), delta(0, 'a', 'g', '{}')], ['a f({})', 'a g({})']],
	[
		'with one index and no id for the same function',
		[delta(0, '', 'f', '{}'), delta(0, '', 'f', '{}')],
		[' f({})', ' f({})'],
	],
	[
		'with one id for all',
		[delta(0, 'a', 'f', '{"x":1}'), delta(1, 'a', 'f', '{"x":2}')],
		['a f({"x":1})', 'a f({"x":2})'],
	],
	[
		'at an index that counts on with each piece',
		[delta(0, 'a', 'f', ''), delta(1, null, null, '{"x"'), delta(2, null, null, ':1}'), delta(1, 'b', 'g', '{}')],
		['a f({"x":1})', 'b g({})'],
	],
	['with a new id in every delta', [delta(0, 'a', 'f', '{"x"'), delta(0, 'b', null, ':1}')], ['a f({"x":1})']],
	[
		'with the name in every delta',
		[delta(0, 'a', 'f', ''), delta(0, 'a', 'f', '{"x"'), delta(0, 'a', 'f', ':1}')],
		['a f({"x":1})'],
	],
	['with an empty name later', [delta(0, 'a', 'f', ''), delta(0, null, '', '{}')], ['a f({})']],
	['with null for no arguments', [delta(0, 'a', 'f', null)], ['a f()']],
	['with an object as arguments', [delta(0, 'a', 'f', {x: 1})], ['a f({"x":1})']],
	['with nothing in it', [delta(0, '', '', ''), null, 'x', []], []],
])('calls are kept apart %s', (_, deltas, expected) => {
	expect(joined(...deltas)).toEqual(expected);
});

const whole = '{"x":1,"y":["a"]}';

test.each([
	['with its id and name', delta(0, 'a', 'f', whole)],
	['with its id', delta(0, 'a', null, whole)],
	['without either', delta(0, null, null, whole)],
	['with spaces', delta(0, null, null, '{ "x": 1, "y": [ "a" ] }')],
	['encoded twice', delta(0, 'a', 'f', JSON.stringify(whole))],
	['at another index', delta(1, 'a', 'f', whole)],
	['as an object', delta(0, 'a', 'f', {x: 1, y: ['a']})],
])('a call that a gateway repeats at its end %s is one call', (_, repetition) => {
	expect(joined(delta(0, 'a', 'f', whole.slice(0, 5)), delta(0, null, null, whole.slice(5)), repetition)).toEqual([
		`a f(${whole})`,
	]);
});

test('parallel calls are complete however their arguments are cut and mixed', () => {
	const text = fc.json();
	fc.assert(
		fc.property(fc.array(text, {minLength: 1, maxLength: 4}), fc.infiniteStream(fc.nat(99)), (all, choices) => {
			const rest = [...all];
			const deltas = all.map((_, index) => delta(index, `id-${index}`, 'f', ''));
			while (rest.some(Boolean)) {
				const index = choices.next().value % rest.length;
				const piece = (rest[index] ?? '').slice(0, 1 + (choices.next().value % 5));
				rest[index] = (rest[index] ?? '').slice(piece.length);
				deltas.push(delta(index, null, null, piece));
			}

			expect(joined(...deltas)).toEqual(all.map((each, index) => `id-${index} f(${each})`));
		}),
		{numRuns: 100},
	);
});
