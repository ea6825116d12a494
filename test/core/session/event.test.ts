import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {parseRecorded} from '../../../src/core/session/event.ts';
import {anyEvent, said, toRecords} from '../records.ts';

const [record] = toRecords([said('Hi')]);

test('every event survives its own JSON', () => {
	fc.assert(
		fc.property(anyEvent, event => {
			const [written] = toRecords([event]);
			expect(parseRecorded(JSON.parse(JSON.stringify(written)))).toEqual(written);
		}),
	);
});

test('unknown fields are ignored', () => {
	expect(parseRecorded({...record, later: 1, event: {...record?.event, later: {deep: true}}})).toEqual(record);
});

test.each([
	['an unknown event', {...record, event: {type: 'later-event', id: 'x'}}],
	['an unknown version', {...record, v: 2}],
	['a missing field', {...record, event: {type: 'text-delta', id: 'x', messageId: 'm'}}],
	['a wrong type', {...record, event: {...record?.event, text: 5}}],
	['a negative seq', {...record, seq: -1}],
	['a broken seq', {...record, seq: 1.5}],
	['no event', {...record, event: null}],
	[
		'arguments that are a list',
		{...record, event: {type: 'tool-call', id: 'a', messageId: 'b', name: 'c', arguments: []}},
	],
	['a list', []],
	['null', null],
	['text', 'text'],
	['nothing', undefined],
])('%s is rejected without an exception', (_name, value) => {
	expect(parseRecorded(value)).toBeUndefined();
});

test('no value makes the parser throw [24]', () => {
	fc.assert(
		fc.property(fc.anything(), value => {
			parseRecorded(value);
			parseRecorded({...record, event: value});
		}),
	);
});
