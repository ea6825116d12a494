import {expect, test} from 'vitest';
import {readInputs} from '../../../src/server/tasks/inputs.ts';
import {renderInstruction} from '../../../src/server/tasks/instruction.ts';
import {parseTask} from '../../../src/server/tasks/parse-task.ts';

const task = parseTask(
	`name: a
version: 1.0.0
command: [a]
inputs:
  city: {type: string, required: true}
  pace: {type: number, default: 2, minimum: 1, maximum: 3}
  tags: {type: array}
  fast: {type: boolean}
  count: {type: integer}
  more: {type: object}
  colour: {type: string, choices: [red, blue]}
`,
	'a',
);

test('given inputs are merged with the defaults, and null counts as not given', () => {
	expect(readInputs(task, {city: 'Oslo', tags: ['a'], fast: null})).toEqual({
		values: {city: 'Oslo', pace: 2, tags: ['a']},
	});
});

test('every error is reported with its field', () => {
	const given = {cty: 'x', pace: 9, tags: 'a', fast: 'yes', count: 1.5, more: [], colour: 'green'};
	expect(readInputs(task, given)).toEqual({
		errors: [
			{
				loc: ['body', 'inputs', 'cty'],
				msg: 'is not an input of this task; it accepts city, pace, tags, fast, count, more, colour',
				type: 'unknown_input',
			},
			{loc: ['body', 'inputs', 'city'], msg: 'is required', type: 'missing_input'},
			{loc: ['body', 'inputs', 'pace'], msg: 'must be at least 1 and at most 3', type: 'invalid_input'},
			{loc: ['body', 'inputs', 'tags'], msg: 'must be a list', type: 'invalid_input'},
			{loc: ['body', 'inputs', 'fast'], msg: 'must be true or false', type: 'invalid_input'},
			{loc: ['body', 'inputs', 'count'], msg: 'must be a whole number', type: 'invalid_input'},
			{loc: ['body', 'inputs', 'more'], msg: 'must be an object', type: 'invalid_input'},
			{loc: ['body', 'inputs', 'colour'], msg: 'must be one of red, blue', type: 'invalid_input'},
		],
	});
});

test('[24] inherited names are not inputs, and inputs have a maximum size', () => {
	expect(readInputs(task, JSON.parse('{"city": "x", "constructor": 1, "__proto__": 2}'))).toMatchObject({
		errors: [{loc: ['body', 'inputs', 'constructor']}, {loc: ['body', 'inputs', '__proto__']}],
	});
	expect(readInputs(task, {city: 'x'.repeat(300_000)})).toMatchObject({errors: [{loc: ['body', 'inputs']}]});
});

test('an instruction is filled in one pass, so inserted text is never expanded', () => {
	const services = {web: {url: 'http://127.0.0.1:8000/', port: 8000, protocol: 'http'}};
	const inputs = {city: '{{services.web.url}} $& $1', tags: ['a', 1]};
	expect(
		renderInstruction('{{inputs.city}}|{{ inputs.tags }}|{{inputs.none}}|{{services.web.url}}x|{{services.web.port}}', {
			inputs,
			services,
		}),
	).toBe('{{services.web.url}} $& $1|["a",1]||http://127.0.0.1:8000/x|8000');
	expect(renderInstruction('{{services.web.secret}} {{other}} {{', {inputs, services})).toBe(
		'{{services.web.secret}} {{other}} {{',
	);
});
