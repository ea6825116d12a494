import type {ValidationErrorItem} from '../../contract/problem.ts';
import {isJsonObject} from '../../core/json.ts';
import type {TaskDefinition, TaskInput} from './task-schema.ts';

/** What a task runs with: checked, and with its defaults filled in. */
export type TaskInputs = Readonly<Record<string, unknown>>;

/** Most characters of all inputs together, in JSON. */
const largest = 256 * 1024;

/** Joins what was given with the defaults, or says what is wrong with it. */
export function readInputs(
	{inputs}: Pick<TaskDefinition, 'inputs'>,
	given: TaskInputs,
): {readonly values: TaskInputs} | {readonly errors: readonly ValidationErrorItem[]} {
	const errors: ValidationErrorItem[] = [];
	const values: Record<string, unknown> = {};
	const wrong = (name: string, msg: string, type: string) => errors.push({loc: ['body', 'inputs', name], msg, type});
	for (const name of Object.keys(given)) {
		if (!Object.hasOwn(inputs, name)) {
			wrong(name, `is no input of this task; it has ${Object.keys(inputs).join(', ') || 'none'}`, 'unknown_input');
		}
	}

	for (const [name, input] of Object.entries(inputs)) {
		const value = Object.hasOwn(given, name) ? given[name] : input.default;
		const rule = value === undefined || value === null ? undefined : checkInput(input, value);
		if (rule) {
			wrong(name, rule, 'invalid_input');
		} else if (value !== undefined && value !== null) {
			values[name] = value;
		} else if (input.required) {
			wrong(name, 'is required', 'missing_input');
		}
	}

	if (JSON.stringify(values).length > largest) {
		errors.push({loc: ['body', 'inputs'], msg: `are longer than ${largest} characters`, type: 'too_big'});
	}

	return errors.length > 0 ? {errors} : {values};
}

/** What is wrong with a value, worded to follow the name of its field; undefined where nothing is. */
export function checkInput({type, choices, minimum, maximum}: TaskInput, value: unknown): string | undefined {
	if (!isOfType[type](value)) {
		return `must be ${article[type]}`;
	}

	if (typeof value === 'number' && (value < (minimum ?? value) || value > (maximum ?? value))) {
		const bounds = [minimum !== undefined && `at least ${minimum}`, maximum !== undefined && `at most ${maximum}`];
		return `must be ${bounds.filter(Boolean).join(' and ')}`;
	}

	const isChoice = choices === undefined || choices.some(choice => choice === value);
	return isChoice ? undefined : `must be one of ${choices.join(', ')}`;
}

const isOfType: Readonly<Record<TaskInput['type'], (value: unknown) => boolean>> = {
	string: value => typeof value === 'string',
	integer: value => Number.isSafeInteger(value),
	number: value => Number.isFinite(value),
	boolean: value => typeof value === 'boolean',
	array: value => Array.isArray(value),
	object: isJsonObject,
};

const article: Readonly<Record<TaskInput['type'], string>> = {
	string: 'text',
	integer: 'a whole number',
	number: 'a number',
	boolean: 'true or false',
	array: 'a list',
	object: 'an object',
};
