import type {ValidationErrorItem} from '../../contract/problem.ts';
import {isJsonObject} from '../../core/json.ts';
import type {TaskDefinition, TaskInput} from './task-schema.ts';

/** Validated inputs of a task, with defaults filled in. */
export type TaskInputs = Readonly<Record<string, unknown>>;

/** Maximum characters of all inputs as JSON. */
const maxLength = 256 * 1024;

/** Merges the given inputs with the defaults. Returns errors for invalid ones. */
export function readInputs(
	{inputs}: TaskDefinition,
	given: TaskInputs,
): {readonly values: TaskInputs} | {readonly errors: readonly ValidationErrorItem[]} {
	const errors: ValidationErrorItem[] = [];
	const values: Record<string, unknown> = {};
	const addError = (name: string, msg: string, type: string) => errors.push({loc: ['body', 'inputs', name], msg, type});
	for (const name of Object.keys(given)) {
		if (!Object.hasOwn(inputs, name)) {
			addError(
				name,
				`is not an input of this task; it accepts ${Object.keys(inputs).join(', ') || 'none'}`,
				'unknown_input',
			);
		}
	}

	for (const [name, input] of Object.entries(inputs)) {
		const value = Object.hasOwn(given, name) ? given[name] : input.default;
		const rule = value === undefined || value === null ? undefined : checkInput(input, value);
		if (rule) {
			addError(name, rule, 'invalid_input');
		} else if (value !== undefined && value !== null) {
			values[name] = value;
		} else if (input.required) {
			addError(name, 'is required', 'missing_input');
		}
	}

	if (JSON.stringify(values).length > maxLength) {
		errors.push({loc: ['body', 'inputs'], msg: `are longer than ${maxLength} characters`, type: 'too_big'});
	}

	return errors.length > 0 ? {errors} : {values};
}

/** Returns the sentence for errors that begin with an unknown input; undefined for any other errors. */
export function unknownInput(
	{name, inputs}: TaskDefinition,
	[first]: readonly ValidationErrorItem[],
): string | undefined {
	return first?.type === 'unknown_input'
		? `Unknown input “${first.loc.at(-1)}”. ${name} accepts ${Object.keys(inputs).join(', ') || 'no inputs'}.`
		: undefined;
}

/** Returns why a value is invalid, worded to follow the name of its field; undefined if it is valid. */
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
