import {parse} from 'yaml';
import {violations} from '../../contract/check.ts';
import {AppError} from '../../core/error.ts';
import {isDeeper, type Json} from '../../core/json.ts';
import {checkInput} from './inputs.ts';
import {unknownPlaceholders} from './instruction.ts';
import {portVariable} from './task.ts';
import {type TaskDefinition, taskSchema} from './task-schema.ts';

/** Most bytes of a `task.yaml`, and levels of nesting in it. */
const largest = 64 * 1024;
const deepest = 20;

/**
 * Reads a `task.yaml`. Anchors and aliases are not allowed, because a few lines of them expand to gigabytes. Throws
 * `AppError` (`failed`) that names the field which is wrong.
 */
export function parseTask(text: string, place: string): TaskDefinition {
	if (Buffer.byteLength(text) > largest) {
		throw unusable(place, `it is larger than ${largest} bytes`);
	}

	return checkTask(readYaml(text, place), place);
}

function readYaml(text: string, place: string): unknown {
	try {
		return parse(text, {maxAliasCount: 0, schema: 'core', logLevel: 'error', prettyErrors: true, stringKeys: true});
	} catch (error) {
		throw unusable(place, reasonOf(error));
	}
}

function reasonOf(error: unknown): string {
	// A parser that descends runs out of stack before anything else of it suffers.
	if (error instanceof RangeError) {
		return `it is nested deeper than ${deepest} levels`;
	}

	const [reason = ''] = error instanceof Error ? error.message.split('\n') : [];
	return /alias/i.test(reason) ? 'aliases are not allowed in it' : `it is no YAML: ${reason.replace(/[.:]+$/, '')}`;
}

/** Checks a definition as it was read. Throws `AppError` (`failed`) that names the field which is wrong. */
export function checkTask(value: unknown, place: string): TaskDefinition {
	if (isDeeper(value as Json, deepest)) {
		throw unusable(place, `it is nested deeper than ${deepest} levels`);
	}

	const {data: task, error} = taskSchema.safeParse(value);
	if (!task) {
		const [wrong] = violations(taskSchema, value);
		const [issue] = error.issues;
		// The schema words its own patterns, and the names that fields of a map may have.
		const own = issue?.code === 'invalid_key' ? `has a name that ${issue.issues[0]?.message}` : issue?.message;
		const isOwn = issue?.code === 'invalid_format' || issue?.code === 'invalid_key';
		throw unusable(place, `${wrong?.path.join('.') || 'it'} ${isOwn ? own : wrong?.rule}`);
	}

	checkDefaults(task, place);
	const [unknown] = unknownPlaceholders(task);
	if (unknown) {
		throw unusable(place, `instruction names {{${unknown}}}, which is no input or service of it`);
	}

	const variables = Object.keys(task.services).map(name => portVariable(task, name));
	if (new Set(variables).size < variables.length) {
		throw unusable(place, 'services have the same env');
	}

	return task;
}

function checkDefaults({inputs}: TaskDefinition, place: string): void {
	for (const [name, input] of Object.entries(inputs)) {
		const wrong = input.default === undefined ? undefined : checkInput(input, input.default);
		if (wrong) {
			throw unusable(place, `inputs.${name}.default ${wrong}`);
		}
	}
}

function unusable(place: string, reason: string): AppError {
	return new AppError('failed', `The task ${place} cannot be used: ${reason}.`, {hint: 'Correct its task.yaml.'});
}
