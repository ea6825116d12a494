import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import type {Tool} from '../../core/session/tool.ts';
import type {Places} from '../policy/protected-places.ts';
import {defineTool} from './define-tool.ts';
import description from './edit-file.md';
import {applyEdits} from './files/apply-edits.ts';
import {changeFile} from './files/change-file.ts';

const maxEdits = 200;

export function createEditFile(places: Places): Tool {
	return defineTool({
		name: 'edit_file',
		description,
		readOnly: false,
		arguments: z.strictObject({
			path: z.string().check(z.minLength(1), z.describe('Path of the file, relative to the working folder.')),
			edits: z
				.array(
					z.strictObject({
						old_text: z.string().check(z.describe('The exact text to replace.')),
						new_text: z.string().check(z.describe('The text to write in its place.')),
						replace_all: z.optional(z.boolean().check(z.describe('True to replace every match.'))),
					}),
				)
				.check(
					z.minLength(1),
					z.maxLength(maxEdits),
					z.describe(`1 to ${maxEdits} edits in order, each {old_text, new_text, replace_all?}.`),
				),
		}),

		async run({path, edits}, context) {
			const compute = (text: string | undefined, shown: string) => {
				if (text === undefined) {
					throw new AppError('not-found', `File not found: “${shown}”.`, {hint: 'Call write_file to create it.'});
				}

				const next = applyEdits(text, edits);
				if (next === text) {
					throw new AppError('usage', 'The edits change nothing together.');
				}

				return next;
			};
			return changeFile(path, compute, places, context);
		},
	});
}
