import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {narrowChoices} from '../../../src/command/picker/picker-filter.ts';
import type {Choice, FilterField} from '../../../src/core/question.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const hour = 3_600_000;
const filters: readonly FilterField[] = [
	{name: 'kind', compares: 'text', example: 'kind:runtime', words: ['local session', 'server session', 'runtime']},
	{name: 'state', compares: 'text', example: 'state:paused'},
	{name: 'server', compares: 'text', example: 'server:lab'},
	{name: 'cost', compares: 'number', example: 'cost:>1'},
	{name: 'age', compares: 'age', example: 'age:<2d'},
];
const box = {kind: 'runtime', state: 'paused', server: 'lab https://lab.test', id: '1b9f3a52'};
const choices: readonly Choice[] = [
	{id: '1', label: 'Development', detail: 'lab', fields: {...box, age: now - 3 * hour}},
	{id: '2', label: 'fix: the parser', fields: {kind: 'local session', cost: 0.5, age: now - 50 * hour}},
	{id: '3', label: 'Paused talk', fields: {kind: 'server session', state: 'archived', server: 'home', cost: 1.5}},
	{id: '4', label: 'bare'},
];
const ids = (filter: string) => narrowChoices(choices, filter, {filters, now}).found.map(({id}) => id);
const faultOf = (filter: string) => narrowChoices(choices, filter, {filters, now}).fault;

describe('a typed filter', () => {
	test.each([
		['', '1234'],
		['kind:runtime', '1'],
		['kind:session', '23'],
		['KIND:Local', '2'],
		['state:paused', '1'],
		['server:lab', '1'],
		['server:lab.test state:pau dev', '1'],
		['cost:>1', '3'],
		['cost:>=$0.5', '23'],
		['cost:<1', '2'],
		['cost:<=1.5', '23'],
		['cost:1.5', '3'],
		['cost:=0.5', '2'],
		['age:<4h', '1'],
		['age:>1d', '2'],
		['age:3h', '1'],
		['age:1w', '12'],
		['age:>=180m', '12'],
		['state:paused server:home', ''],
		['paused', '3'],
		['1B9F', '1'],
		['"kind:local session"', '2'],
	])('the filter %j keeps %s', (filter, left) => {
		expect([ids(filter).join(''), faultOf(filter)]).toEqual([left, undefined]);
	});

	test('that is not known narrows by what it says: a title has colons too', () => {
		expect([ids('fix: parser'), faultOf('fix: parser')]).toEqual([['2'], undefined]);
		expect([ids('https://nowhere'), faultOf('https://nowhere')]).toEqual([[], undefined]);
	});

	test.each([
		['stat:paused', 'Unknown filter “stat:”. Did you mean “state:”?'],
		['sttae:paused', 'Unknown filter “sttae:”. Did you mean “state:”?'],
		['kind:moon', 'kind: takes local session, server session, runtime.'],
		['kind:', 'kind: takes local session, server session, runtime.'],
		['state:', 'state: needs a word: state:paused'],
		['cost:', 'cost: takes a number, such as cost:>1'],
		['cost:>', 'cost: takes a number, such as cost:>1'],
		['cost:1e5', 'cost: takes a number, such as cost:>1'],
		['cost:=>1', 'cost: takes a number, such as cost:>1'],
		['age:<2', 'age: takes a time, such as age:<2d'],
		['age:now', 'age: takes a time, such as age:<2d'],
	])('the filter %j is invalid, says so and hides nothing', (filter, fault) => {
		expect([faultOf(filter), ids(filter)]).toEqual([fault, ['1', '2', '3', '4']]);
		expect(ids(`${filter} dev`)).toEqual(['1']);
	});

	test('is a word where the list has no fields', () => {
		const {found, fault} = narrowChoices(
			[
				{id: 'a', label: 'state:paused'},
				{id: 'b', label: 'b'},
			],
			'state:',
		);
		expect([found.map(({id}) => id), fault]).toEqual([['a'], undefined]);
	});

	test('whatever is typed, nothing is thrown, and what is left was there', () => {
		fc.assert(
			fc.property(fc.string(), fc.constantFrom('', 'cost:', 'age:<', 'state:', 'kind:'), (text, begin) => {
				const {found} = narrowChoices(choices, begin + text, {filters, now});
				expect(found.every(choice => choices.includes(choice))).toBe(true);
			}),
		);
	});
});

test('a word matches anywhere, and names that start with it come first', () => {
	const models = ['openai/gpt', 'groq/openai/gpt', 'openai/mini'].map(id => ({id, label: id, detail: 'context'}));
	const left = (filter: string) => narrowChoices(models, filter).found.map(({id}) => id);
	expect(left('openai gpt')).toEqual(['openai/gpt', 'groq/openai/gpt']);
	expect(left('GPT context')).toEqual(['openai/gpt', 'groq/openai/gpt']);
	expect(left('  ')).toEqual(models.map(({id}) => id));
	expect(left('nothing')).toEqual([]);
});
