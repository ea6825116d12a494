import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import type {Tool} from '../../core/session/tool.ts';
import type {AskUser} from '../../core/session/user-question.ts';
import description from './ask-user.md';
import {defineTool} from './define-tool.ts';

const maxChoices = 10;
const beforeAnswer = 'The user answered: ';

/** Creates the tool. `ask` returns undefined if no user can be asked. */
export function createAskUser(ask: () => AskUser | undefined): Tool {
	return defineTool({
		name: 'ask_user',
		description,
		readOnly: true,
		readOn: 'Ask for a shorter answer.',
		arguments: z.strictObject({
			question: z.string().check(z.minLength(1), z.maxLength(2000), z.describe('The question.')),
			choices: z.optional(
				z
					.array(
						z.strictObject({
							label: z.string().check(z.minLength(1), z.maxLength(200), z.describe('The answer, in a few words.')),
							description: z.optional(z.string().check(z.maxLength(300), z.describe('What follows from it.'))),
						}),
					)
					.check(z.maxLength(maxChoices), z.describe(`At most ${maxChoices} answers, each {label, description?}.`)),
			),
		}),

		async run({question, choices = []}, {signal, onFacts}) {
			const askUser = ask();
			if (!askUser) {
				throw new AppError('failed', "This run can't ask the user.", {
					hint: 'Decide by yourself, and say in your answer what you assumed.',
				});
			}

			const answer = await askUser({question, choices}, signal);
			if (answer === undefined) {
				onFacts?.({});
				return 'The user declined to answer. Decide by yourself, or go on without it.';
			}

			onFacts?.({from: beforeAnswer.length});
			return beforeAnswer + answer;
		},
	});
}
