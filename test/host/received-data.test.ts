import {expect, test} from 'vitest';
import type {Result} from '../../src/command/result.ts';
import type {Json} from '../../src/core/json.ts';
import {askAs, readResult} from '../../src/host/received-data.ts';
import {sendable} from '../../src/host/sendable-result.ts';
import type {QuestionKind} from '../../src/link/protocol.ts';

const results: readonly Result[] = [
	{kind: 'text', text: 'Done.', hint: 'Next: `usage`', data: {done: true}},
	{kind: 'record', title: 'One', fields: [['name', 'value']], data: null},
	{
		kind: 'table',
		columns: [
			{label: 'id', whole: 'beside spare'},
			{label: 'age', align: 'right', spare: true, cut: 'middle'},
		],
		rows: [
			[{id: 'abcd'}, {at: '2026-11-21T08:00:00Z'}],
			['text', ''],
		],
		empty: 'None.',
		notes: ['A note'],
		opens: {words: ['env', 'show'], ids: ['abcd', 'efgh']},
		data: [],
	},
	{kind: 'plot', title: 'Bars', plot: {shape: 'bars', bars: [['one', 1]], rest: 'one'}},
	{kind: 'plot', title: 'Curve', plot: {shape: 'curve', points: [[1, 2]]}, data: 1},
	{kind: 'lines', lines: ['one', 'two'], data: {}, records: [1, 2]},
	{kind: 'panel', panel: {show: 'session', id: 'abcd'}},
];

test('every result that a host can send is read as it was', () => {
	const group: Result = {kind: 'group', parts: results, isDense: true, data: {}};
	for (const result of [...results, group]) {
		expect(readResult(JSON.parse(JSON.stringify(sendable(result))))).toEqual(JSON.parse(JSON.stringify(result)));
	}
});

test('[33] a host opens nothing on a terminal that it may not, and writes nothing that the terminal obeys', () => {
	const refused: readonly Json[] = [
		null,
		{kind: 'quit'},
		{kind: 'text'},
		{kind: 'panel', panel: {show: 'host', folders: ['/']}},
		{kind: 'panel', panel: {show: 'attach', session: 'abcd', at: 'user@elsewhere', observes: false}},
		{kind: 'group', parts: [{kind: 'panel', panel: {show: 'editor', model: null, trust: true}}], data: null},
		{kind: 'table', columns: [{label: 1}], rows: [], empty: '', data: null},
	];
	for (const result of refused) {
		expect(() => readResult(result)).toThrow('The host sent what this version does not know.');
	}

	expect(readResult({kind: 'lines', lines: ['\u001b[2Jgone'], colored: true})).toEqual({
		kind: 'lines',
		lines: [expect.not.stringContaining('\u001b')],
	});
});

test('[33] a question that is not whole reaches no screen, and none is answered by that', async () => {
	const questions: ReadonlyArray<readonly [QuestionKind, Json]> = [
		[
			'approval',
			{id: '1', hash: 'h', summary: 'Run it?', subject: 's', act: {kind: 'other'}, verdict: {effect: 'ask'}},
		],
		['user', {question: 'Which?'}],
		['inquiry', {question: 'Sure?'}],
		['agree', {question: 'Sure?', about: null}],
		['confirm', {}],
		['choose', {title: 'One', choices: [{id: 1, label: 'one'}]}],
		['field', {label: 'Name'}],
	];
	const asked: string[] = [];
	const never = async () => {
		asked.push('asked');
		return undefined as never;
	};
	const interact = {ask: never, choose: never, confirm: never, inquire: never, agree: never};
	for (const [kind, question] of questions) {
		const {signal} = new AbortController();
		const screen = {decide: never, ask: never, interact: {...interact, say: never, showLogin: () => () => undefined}};
		await expect(askAs({kind, question, signal, painted: () => undefined}, screen)).rejects.toThrow('does not know');
	}

	expect(asked).toEqual([]);
});
