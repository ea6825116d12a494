import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import type {JsonObject} from '../../core/json.ts';
import {mask} from '../../core/secrets/secret.ts';
import type {CallWords} from '../../core/session/call-words.ts';
import type {Tool, ToolContext} from '../../core/session/tool.ts';

/** Explains to the model that `***` isn't part of the file. */
export const redactionNote = `[${mask} hides what looks like a credential; models never see it]`;

type Definition<Shape extends z.core.$ZodShape> = {
	readonly name: string;
	readonly description: string;
	readonly readOnly: boolean;
	readonly mayChange?: Tool['mayChange'];
	readonly readOn?: Tool['readOn'];
	/** A call in words: what it does, and to what. */
	readonly words?: (args: z.output<z.ZodMiniObject<Shape, z.core.$strict>>) => CallWords;
	readonly arguments: z.ZodMiniObject<Shape, z.core.$strict>;
	/** Returns the result for the model. Throws `AppError` for what the model can correct. */
	readonly run: (args: z.output<z.ZodMiniObject<Shape, z.core.$strict>>, context: ToolContext) => Promise<string>;
};

/**
 * Creates a tool. One schema describes the arguments to the model, validates them and types them. Its `run` throws
 * `AppError("usage")` for invalid arguments, with a message that says what is valid.
 */
export function defineTool<const Shape extends z.core.$ZodShape>(definition: Definition<Shape>): Tool {
	const {name, description, readOnly, mayChange, readOn, words, run} = definition;
	const {$schema, ...parameters} = z.toJSONSchema(definition.arguments) as JsonObject;
	return {
		name,
		description,
		parameters,
		readOnly,
		...(mayChange && {mayChange}),
		...(readOn && {readOn}),
		...(words && {
			words(given: JsonObject) {
				const {data} = definition.arguments.safeParse(given);
				return data && words(data);
			},
		}),
		async run(given, context) {
			const {success, data, error} = definition.arguments.safeParse(given);
			if (!success) {
				const {explainIssues} = await import('./explain-issues.ts');
				throw new AppError('usage', explainIssues(error.issues, given, parameters));
			}

			return run(data, context);
		},
	};
}
