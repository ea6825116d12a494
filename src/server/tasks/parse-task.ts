import {parse} from 'yaml';
import {violations} from '../../contract/check.ts';
import {AppError} from '../../core/error.ts';
import {isDeeper, type Json} from '../../core/json.ts';
import {checkInput} from './inputs.ts';
import {unknownPlaceholders} from './instruction.ts';
import {portVariable} from './task.ts';
import {type TaskDefinition, taskSchema} from './task-schema.ts';

/** Limits of a `task.yaml`: its size in bytes and its nesting depth. */
const maxBytes = 64 * 1024;
const maxDepth = 20;

/**
 * Parses a `task.yaml`. Anchors and aliases are not allowed, because a few lines of them can expand to gigabytes.
 * Throws AppError("failed") that names the invalid field.
 */
export function parseTask(text: string, name: string): TaskDefinition {
	if (Buffer.byteLength(text) > maxBytes) {
		throw unusable(name, `it is larger than ${maxBytes} bytes`);
	}

	return checkTask(readYaml(text, name), name);
}

function readYaml(text: string, name: string): unknown {
	try {
		return parse(text, {maxAliasCount: 0, schema: 'core', logLevel: 'error', prettyErrors: true, stringKeys: true});
	} catch (error) {
		throw unusable(name, reasonOf(error));
	}
}

function reasonOf(error: unknown): string {
	// A recursive parser overflows the stack before anything else fails.
	if (error instanceof RangeError) {
		return `it is nested deeper than ${maxDepth} levels`;
	}

	const [reason = ''] = error instanceof Error ? error.message.split('\n') : [];
	return /alias/i.test(reason)
		? 'aliases are not allowed in it'
		: `it is not valid YAML: ${reason.replace(/[.:]+$/, '')}`;
}

/** Validates a parsed definition. Throws AppError("failed") that names the invalid field. */
export function checkTask(value: unknown, name: string): TaskDefinition {
	if (isDeeper(value as Json, maxDepth)) {
		throw unusable(name, `it is nested deeper than ${maxDepth} levels`);
	}

	const {data: task, error} = taskSchema.safeParse(value);
	if (!task) {
		const [wrong] = violations(taskSchema, value);
		const [issue] = error.issues;
		// The schema has its own messages for patterns and for names in maps.
		const own = issue?.code === 'invalid_key' ? `has a name that ${issue.issues[0]?.message}` : issue?.message;
		const isOwn = issue?.code === 'invalid_format' || issue?.code === 'invalid_key';
		throw unusable(name, `${wrong?.path.join('.') || 'it'} ${isOwn ? own : wrong?.rule}`);
	}

	checkDefaults(task, name);
	const [unknown] = unknownPlaceholders(task);
	if (unknown) {
		throw unusable(name, `instruction names {{${unknown}}}, which is not an input or service of the task`);
	}

	const variables = Object.keys(task.services).map(name => portVariable(task, name));
	if (new Set(variables).size < variables.length) {
		throw unusable(name, 'services have the same env');
	}

	return task;
}

function checkDefaults({inputs}: TaskDefinition, task: string): void {
	for (const [name, input] of Object.entries(inputs)) {
		const wrong = input.default === undefined ? undefined : checkInput(input, input.default);
		if (wrong) {
			throw unusable(task, `inputs.${name}.default ${wrong}`);
		}
	}
}

function unusable(name: string, reason: string): AppError {
	return new AppError('failed', `The task ${name} cannot be used: ${reason}.`, {hint: 'Correct its task.yaml.'});
}
