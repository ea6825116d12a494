import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {AgentEvent, Recorded} from '../../src/core/session/event.ts';
import {joinDeltas} from '../../src/store/session-slice.ts';
import {done, reduceAll, said, start, toRecords, user} from '../core/records.ts';

const opaque = (data: string) => ({wire: 'test', data});
const event: fc.Arbitrary<AgentEvent> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record(
			{
				type: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const),
				id: fc.constantFrom('a', 'b'),
				messageId: fc.constantFrom('m', 'n'),
				text: fc.string({maxLength: 3}),
				opaque: fc.string({maxLength: 1}).map(opaque),
			},
			{requiredKeys: ['type', 'id', 'messageId', 'text']},
		),
	},
	fc.constantFrom<AgentEvent>(user('Hi'), {type: 'notice', level: 'info', text: 'Note'}, start, done),
);

test('joined pieces change a transcript as they do one after another', () => {
	fc.assert(
		fc.property(fc.array(event, {maxLength: 30}), events => {
			const records = toRecords(events);
			expect(reduceAll(joinDeltas(records))).toEqual(reduceAll(records));
		}),
	);
});

test('a burst of pieces is one record, with the time of the first and the number of the last', () => {
	const joined = joinDeltas(toRecords([said('one'), said(' two'), said(' three')]));
	expect(joined).toEqual([{...toRecords([said('one two three')])[0], seq: 2}]);
});

test.each([
	['another session', {session: 'other'}],
	['another server', {server: 'other'}],
	['a record that is missing between them', {seq: 5}],
])('pieces with %s are not joined', (_, other) => {
	const [first, second] = toRecords([said('a'), said('b')]);
	const records = [first, {...second, ...other}] as readonly Recorded[];
	expect(joinDeltas(records)).toEqual(records);
});

test('what is no record stays, and separates the pieces around it', () => {
	const [first, second] = toRecords([said('a'), said('b')]) as [Recorded, Recorded];
	const items = [first, {type: 'call-piece', id: 'c', name: 'x', text: '{'}, second];
	expect(joinDeltas(items)).toEqual(items);
});
