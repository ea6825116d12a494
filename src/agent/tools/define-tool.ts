import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {mask} from '../../core/secrets/secret.ts';
import type {Tool, ToolContext} from '../../core/session/tool.ts';

/** Explains to the model that `***` isn't part of the file. */
export const redactionNote = `[${mask} hides what looks like a credential; models never see it]`;

type Definition<Shape extends z.core.$ZodShape> = {
	readonly name: string;
	readonly description: string;
	readonly readOnly: boolean;
	readonly mayChange?: Tool['mayChange'];
	readonly readOn?: Tool['readOn'];
	readonly arguments: z.ZodMiniObject<Shape, z.core.$strict>;
	/** Returns the result for the model. Throws `AppError` for what the model can correct. */
	readonly run: (args: z.output<z.ZodMiniObject<Shape, z.core.$strict>>, context: ToolContext) => Promise<string>;
};

/**
 * Creates a tool. One schema describes the arguments to the model, validates them and types them. Its `run` throws
 * `AppError("usage")` for invalid arguments, with a message that says what is valid.
 */
export function defineTool<const Shape extends z.core.$ZodShape>(definition: Definition<Shape>): Tool {
	const {name, description, readOnly, mayChange, readOn, run} = definition;
	const {$schema, ...parameters} = z.toJSONSchema(definition.arguments) as JsonObject;
	return {
		name,
		description,
		parameters,
		readOnly,
		...(mayChange && {mayChange}),
		...(readOn && {readOn}),
		async run(given, context) {
			// Some models write null for an argument that they leave out.
			const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
			const {success, data, error} = definition.arguments.safeParse(present);
			if (!success) {
				throw new AppError('usage', explain(error.issues, present, parameters));
			}

			return run(data, context);
		},
	};
}

function explain(issues: readonly z.core.$ZodIssue[], given: JsonObject, {properties}: JsonObject): string {
	const known = isJsonObject(properties) ? properties : {};
	const sentences = issues.map(issue => {
		if (issue.code === 'unrecognized_keys') {
			const unknown = issue.keys.map(key => `“${key}”`).join(', ');
			return `Unknown argument ${unknown}. Available: ${Object.keys(known).join(', ')}.`;
		}

		const name = String(issue.path[0]);
		return `${name in given ? 'Invalid' : 'Missing'} argument “${name}”: ${expected(known[name])}`;
	});
	return sentences.join(' ');
}

function expected(property: unknown): string {
	if (!isJsonObject(property)) {
		return 'see the schema.';
	}

	const {type, minimum, description} = property;
	return `${String(type)}${typeof minimum === 'number' ? ` of ${minimum} or more` : ''}. ${String(description ?? '')}`.trim();
}
