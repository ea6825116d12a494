import * as z from 'zod/mini';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {mask} from '../../core/secrets/secret.ts';
import type {Tool, ToolContext} from '../../core/session/tool.ts';

/** Tells the model why there is `***` in what it reads of a file, so that it takes it for no fault of the file. */
export const redactionNote = `[${mask} stands for what looks like a credential; it is shown to no model]`;

type Definition<Shape extends z.core.$ZodShape> = {
	readonly name: string;
	readonly description: string;
	readonly readOnly: boolean;
	readonly readOn?: Tool['readOn'];
	readonly arguments: z.ZodMiniObject<Shape, z.core.$strict>;
	/** Returns what the model reads. Throws `AppError` for what the model can put right. */
	readonly run: (args: z.output<z.ZodMiniObject<Shape, z.core.$strict>>, context: ToolContext) => Promise<string>;
};

/**
 * Creates a tool. One schema describes the arguments to the model, validates them and types them. Its `run` throws
 * `AppError("usage")` for invalid arguments, with a message that says what is valid.
 */
export function defineTool<const Shape extends z.core.$ZodShape>(definition: Definition<Shape>): Tool {
	const {name, description, readOnly, readOn, run} = definition;
	const {$schema, ...parameters} = z.toJSONSchema(definition.arguments) as JsonObject;
	return {
		name,
		description,
		parameters,
		readOnly,
		...(readOn && {readOn}),
		async run(given, context) {
			// Some vendors' models write null for an argument that they leave out.
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
			return `There is no argument ${unknown}; there are: ${Object.keys(known).join(', ')}.`;
		}

		const name = String(issue.path[0]);
		return `The argument “${name}” ${name in given ? 'is not right' : 'is missing'}: ${wanted(known[name])}`;
	});
	return sentences.join(' ');
}

function wanted(property: unknown): string {
	if (!isJsonObject(property)) {
		return 'see the schema.';
	}

	const {type, minimum, description} = property;
	return `${String(type)}${typeof minimum === 'number' ? ` of ${minimum} or more` : ''}. ${String(description ?? '')}`.trim();
}
