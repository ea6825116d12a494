import * as z from 'zod/mini';
import {countDone, todoStates} from '../../core/session/todo.ts';
import type {Tool} from '../../core/session/tool.ts';
import {defineTool} from './define-tool.ts';
import description from './todo.md';

const maxItems = 50;
const maxTextLength = 300;

export function createTodo(): Tool {
	return defineTool({
		name: 'todo',
		description,
		readOnly: true,
		readOn: 'Call it again for a shorter answer.',
		arguments: z.strictObject({
			items: z
				.array(
					z.strictObject({
						text: z.string().check(z.minLength(1), z.maxLength(maxTextLength), z.describe('The step.')),
						state: z.enum(todoStates).check(z.describe('pending, active or done.')),
					}),
				)
				.check(z.maxLength(maxItems), z.describe(`All steps in order, at most ${maxItems}, each {text, state}.`)),
		}),

		async run({items}, {onFacts}) {
			onFacts?.({});
			return items.length === 0
				? 'The list is empty.'
				: `The user sees the list: ${countDone(items)} of ${items.length} done.`;
		},
	});
}
