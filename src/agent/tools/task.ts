import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import type {Tool} from '../../core/session/tool.ts';
import {defineTool} from './define-tool.ts';
import description from './task.md';

/** Creates the tool that starts sub-agents. The run that calls it runs them. */
export function createTask(): Tool {
	return defineTool({
		name: 'task',
		description,
		readOnly: true,
		mayChange: ({write}) => write === true,
		readOn: 'Ask for a shorter answer.',
		arguments: z.strictObject({
			prompt: z.string().check(z.minLength(1), z.maxLength(100_000), z.describe('The whole task.')),
			description: z
				.string()
				.check(z.minLength(1), z.maxLength(200), z.describe('The task in three to eight words, for the user.')),
			model: z.optional(
				z.string().check(z.maxLength(200), z.describe('Another model, as provider/model-name; yours by default.')),
			),
			write: z.optional(z.boolean().check(z.describe('True if it has to change files or run commands.'))),
		}),

		async run({prompt, description: words, model, write = false}, {runTask}) {
			if (!runTask) {
				throw new AppError('failed', 'A sub-agent can’t start sub-agents.', {hint: 'Do it yourself.'});
			}

			return runTask({prompt, description: words, model, write});
		},
	});
}
