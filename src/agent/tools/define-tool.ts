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

/** Most places that a message names. */
const maxPlaces = 5;

/** Returns what is wrong, a sentence for each cause: it names the places that share it, such as “items[2].state”. */
function explain(issues: readonly z.core.$ZodIssue[], given: JsonObject, schema: JsonObject): string {
	const places = new Map<string, string[]>();
	const add = (cause: string, where: readonly string[]) => places.set(cause, [...(places.get(cause) ?? []), ...where]);
	for (const issue of issues) {
		const property = propertyAt(schema, issue.path);
		if (issue.code === 'unrecognized_keys') {
			const known = isJsonObject(property['properties']) ? Object.keys(property['properties']) : [];
			const where = issue.keys.map(key => placeOf([...issue.path, key]));
			add(`Unknown argument %. Available: ${known.join(', ')}.`, where);
		} else {
			const kind = isGiven(given, issue.path) ? 'Invalid' : 'Missing';
			add(`${kind} argument %: ${expected(property)}`, [placeOf(issue.path)]);
		}
	}

	return [...places].map(([cause, where]) => cause.replace('%', () => listed(where))).join(' ');
}

function listed(places: readonly string[]): string {
	const named = places.slice(0, maxPlaces).map(place => `“${place}”`);
	return `${named.join(', ')}${places.length > maxPlaces ? ` and ${places.length - maxPlaces} more` : ''}`;
}

/** Returns a path as JavaScript writes it; items are counted from 0. */
function placeOf(path: readonly PropertyKey[]): string {
	return path
		.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
		.join('');
}

/** Returns the part of a JSON schema that describes the value at a path; an empty object for none. */
function propertyAt(schema: JsonObject, path: readonly PropertyKey[]): JsonObject {
	return path.reduce<JsonObject>((part, key) => {
		const {properties, items} = part;
		const next = typeof key === 'number' ? items : isJsonObject(properties) ? properties[String(key)] : undefined;
		return isJsonObject(next) ? next : {};
	}, schema);
}

function isGiven(given: JsonObject, path: readonly PropertyKey[]): boolean {
	return (
		path.reduce<unknown>(
			(value, key) => (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key],
			given,
		) !== undefined
	);
}

function expected({type, minimum, maxLength, description}: JsonObject): string {
	if (type === undefined) {
		return 'see the schema.';
	}

	const least = typeof minimum === 'number' ? ` of ${minimum} or more` : '';
	const most = typeof maxLength === 'number' ? ` of at most ${maxLength} characters` : '';
	return `${String(type)}${least}${most}. ${String(description ?? '')}`.trim();
}
