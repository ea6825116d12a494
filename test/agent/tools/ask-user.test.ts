import {expect, test} from 'vitest';
import {createAskUser} from '../../../src/agent/tools/ask-user.ts';
import {createTodo} from '../../../src/agent/tools/todo.ts';
import type {Json} from '../../../src/core/json.ts';
import type {ToolContext} from '../../../src/core/session/tool.ts';
import type {AskUser} from '../../../src/core/session/user-question.ts';

const {signal} = new AbortController();
const context = {signal} as ToolContext;

function asking(answer: string | undefined) {
	const asked: unknown[] = [];
	const ask: AskUser = async (question, given) => {
		asked.push(question, given === signal);
		return answer;
	};
	return {tool: createAskUser(() => ask), asked};
}

test('the user gets the question with its choices, and the model the answer', async () => {
	const {tool, asked} = asking('SQLite');
	const question = {
		question: 'Which database?',
		choices: [
			{label: 'SQLite', description: 'one file'},
			{label: 'Postgres', description: ''},
		],
	};
	expect(await tool.run(question, context)).toBe('The user answered: SQLite');
	expect(asked).toEqual([question, true]);
	expect(await asking('a').tool.run({question: 'Name?'}, context)).toBe('The user answered: a');
});

test('a user who declines is no failure', async () => {
	expect(await asking(undefined).tool.run({question: 'Name?'}, context)).toMatch(/^The user declined to answer\. /);
});

test('a run without a user says so, and what to do instead', async () => {
	const tool = createAskUser(() => undefined);
	await expect(tool.run({question: 'Name?'}, context)).rejects.toMatchObject({
		code: 'failed',
		message: "This run can't ask the user.",
		hint: 'Decide by yourself, and say in your answer what you assumed.',
	});
});

test.each([
	[{}],
	[{question: ''}],
	[{question: 'x'.repeat(2001)}],
	[{question: 'a', choices: 'b'}],
	[{question: 'a', choices: Array.from({length: 11}, () => ({label: 'b'}))}],
	[{question: 'a', choices: [{label: 'b', more: 1}]}],
])('arguments that do not fit ask nobody: %#', async args => {
	const {tool, asked} = asking('x');
	await expect(tool.run(args, context)).rejects.toMatchObject({code: 'usage'});
	expect(asked).toEqual([]);
});

test('invalid choices are named by their places, and what they may be once', async () => {
	const {tool} = asking('x');
	const long = 'x'.repeat(201);
	const choices: Json = [{label: 'a'}, {label: long}, {description: 'b'}, {label: 5}, {label: '', more: 1}];
	await expect(tool.run({question: 'a', choices}, context)).rejects.toThrow(
		'Invalid argument “choices[1].label”, “choices[3].label”, “choices[4].label”: ' +
			'string of at most 200 characters. The answer, in a few words. Got a number: 5. ' +
			'Missing argument “choices[2].label”: string of at most 200 characters. The answer, in a few words. ' +
			'Unknown argument “choices[4].more”. Available: label, description.',
	);
	await expect(tool.run({question: 'a', choices: 'b'}, context)).rejects.toThrow(
		'Invalid argument “choices”: array. At most 10 answers',
	);
});

test('steps of a list with an invalid state are named, but not all of many', async () => {
	const steps = Array.from({length: 20}, (_, index) => ({text: `step ${index}`, state: index % 2 ? 'open' : 'done'}));
	await expect(createTodo().run({items: steps}, context)).rejects.toThrow(
		/^Invalid argument “items\[1\]\.state”, (?:“items\[\d\]\.state”, ){3}“items\[9\]\.state” and 5 more: string\. pending, active or done\. Got a string: "open"\.$/,
	);
});
