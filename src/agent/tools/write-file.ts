import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import type {Tool} from '../../core/session/tool.ts';
import type {Places} from '../policy/protected-places.ts';
import {defineTool} from './define-tool.ts';
import {withLineEndsOf} from './files/apply-edits.ts';
import {changeFile} from './files/change-file.ts';
import description from './write-file.md';

export function createWriteFile(places: Places): Tool {
	return defineTool({
		name: 'write_file',
		description,
		readOnly: false,
		arguments: z.strictObject({
			path: z.string().check(z.minLength(1), z.describe('Path of the file, relative to the working folder.')),
			content: z.string().check(z.describe('The whole content of the file.')),
		}),

		async run({path, content}, context) {
			const compute = (text: string | undefined, shown: string) => {
				const next = text === undefined ? content : withLineEndsOf(content, text);
				if (next === text) {
					throw new AppError('usage', `“${shown}” has this content already.`);
				}

				return next;
			};
			return changeFile(path, compute, places, context);
		},
	});
}
