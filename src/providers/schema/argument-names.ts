import {createHash} from 'node:crypto';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {pointerStep, resolveRef} from './fit-schema.ts';

/** The names of properties that were changed for a host, both ways. */
type Names = {
	/** The schema that has the real ones. */
	readonly schema: Json;
	readonly sentOf: ReadonlyMap<string, string>;
	readonly realOf: ReadonlyMap<string, string>;
};

/** Renames arguments for a host and back. */
export type ArgumentNames = {
	/** Returns arguments, as a model wrote them for the schema that was sent, with the real names. */
	readonly toReal: (args: JsonObject) => JsonObject;
	/** Returns arguments with the names that the host has for them. */
	readonly toSent: (args: JsonObject) => JsonObject;
	/** The changed names, by the real ones. */
	readonly sentOf: ReadonlyMap<string, string>;
};

/** Most schemas that describe one value, alternatives included. */
const maxNodes = 100;

/**
 * Returns a schema in which each property has a name that matches `accepted`, and the names that were changed; undefined if
 * none had to be. The description of a renamed property says its real name. `described` has the same properties and may say
 * more about where they are.
 */
export function renameProperties(
	schema: JsonObject,
	accepted: RegExp,
	described: Json = schema,
): {readonly schema: JsonObject; readonly names: ArgumentNames} | undefined {
	const all = new Set<string>();
	visitNames(schema, name => all.add(name));
	const refused = [...all].filter(name => !accepted.test(name));
	if (refused.length === 0) {
		return undefined;
	}

	const taken = new Set([...all].filter(name => accepted.test(name)));
	const sentOf = new Map<string, string>();
	for (const name of refused) {
		const sent = acceptedNameFor(name, accepted, taken);
		taken.add(sent);
		sentOf.set(name, sent);
	}

	const realOf = new Map([...sentOf].map(([real, sent]) => [sent, real]));
	const names = {schema: described, sentOf, realOf};
	const change = (direction: 'realOf' | 'sentOf') => (args: JsonObject) =>
		rename(args, [described], names, direction) as JsonObject;
	return {
		schema: renamed(schema, sentOf) as JsonObject,
		names: {toReal: change('realOf'), toSent: change('sentOf'), sentOf},
	};
}

/** Returns a name like `real`, the same each time, that is accepted and not taken. */
function acceptedNameFor(real: string, accepted: RegExp, taken: ReadonlySet<string>): string {
	const hash = createHash('sha256').update(real).digest('hex');
	const plain = real
		.replace(/[^a-zA-Z0-9]+/g, '_')
		.replace(/^_+|_+$/g, '')
		.replace(/^(?=\d)/, '_');
	const short = plain.slice(0, 24);
	const candidates = [plain, ...[4, 8, 16].map(length => `${short || 'arg'}_${hash.slice(0, length)}`)];
	return candidates.find(name => accepted.test(name) && !taken.has(name)) ?? `a${hash.slice(0, 15)}`;
}

function visitNames(node: Json, visit: (name: string) => void): void {
	if (Array.isArray(node)) {
		for (const item of node) {
			visitNames(item, visit);
		}
	} else if (isJsonObject(node)) {
		for (const [key, value] of Object.entries(node)) {
			if (key === 'properties' && isJsonObject(value)) {
				for (const [name, inner] of Object.entries(value)) {
					visit(name);
					visitNames(inner, visit);
				}
			} else if (!data.has(key)) {
				visitNames(value, visit);
			}
		}
	}
}

/** Keywords whose values are data, not schemas. */
const data: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired']);

function renamed(node: Json, sentOf: ReadonlyMap<string, string>): Json {
	if (Array.isArray(node)) {
		return node.map(item => renamed(item, sentOf));
	}

	if (!isJsonObject(node)) {
		return node;
	}

	const entries = Object.entries(node).flatMap(([key, value]): ReadonlyArray<readonly [string, Json]> => {
		if (key === 'properties' && isJsonObject(value)) {
			return [[key, Object.fromEntries(Object.entries(value).map(entry => renamedProperty(entry, sentOf)))]];
		}

		if (key === 'required' && Array.isArray(value)) {
			return [[key, value.map(name => (typeof name === 'string' ? (sentOf.get(name) ?? name) : name))]];
		}

		if (key === 'dependentRequired' || key === 'dependencies') {
			return [];
		}

		const isPointer = key === '$ref' && typeof value === 'string';
		return [[key, isPointer ? renamedPointer(value, sentOf) : data.has(key) ? value : renamed(value, sentOf)]];
	});
	return Object.fromEntries(entries);
}

function renamedProperty([name, schema]: readonly [string, Json], sentOf: ReadonlyMap<string, string>) {
	const inner = renamed(schema, sentOf);
	const sent = sentOf.get(name);
	if (sent === undefined || !isJsonObject(inner)) {
		return [name, inner] as const;
	}

	const {description} = inner;
	const told = [`Called ${name} in the tool.`, ...(typeof description === 'string' ? [description] : [])].join(' ');
	return [sent, {...inner, description: told}] as const;
}

/** A pointer may go through properties that have other names now. */
function renamedPointer(pointer: string, sentOf: ReadonlyMap<string, string>): string {
	const steps = pointer.split('/');
	return steps
		.map((step, index) => {
			const plain = pointerStep(step);
			return steps[index - 1] === 'properties' ? (sentOf.get(plain) ?? step) : step;
		})
		.join('/');
}

/**
 * Renames where a schema describes a property of that name, so that data with the same name in an object of free form stays
 * as it is.
 */
function rename(value: Json, schemas: readonly Json[], names: Names, direction: 'realOf' | 'sentOf'): Json {
	const nodes = Array.isArray(value) || isJsonObject(value) ? expand(schemas, names.schema) : [];
	if (Array.isArray(value)) {
		const items = nodes.flatMap(({items, prefixItems, additionalItems}) =>
			[items ?? [], prefixItems ?? [], additionalItems ?? []].flat(),
		);
		return value.map(item => rename(item, items, names, direction));
	}

	if (!isJsonObject(value)) {
		return value;
	}

	const entries = Object.entries(value).map(([key, item]) => {
		const other = names[direction].get(key);
		const real = direction === 'realOf' ? (other ?? key) : key;
		const described = nodes.flatMap(({properties}) =>
			isJsonObject(properties) && Object.hasOwn(properties, real) ? [properties[real] ?? {}] : [],
		);
		const free = nodes.flatMap(({additionalProperties, patternProperties}) => [
			additionalProperties ?? {},
			...(isJsonObject(patternProperties) ? Object.values(patternProperties) : []),
		]);
		const isDescribed = described.length > 0;
		return [
			isDescribed && other !== undefined ? other : key,
			rename(item, isDescribed ? described : free, names, direction),
		] as const;
	});
	return Object.fromEntries(entries);
}

/** Returns the schemas that may describe a value: the given ones, and those that they refer to or are made of. */
function expand(schemas: readonly Json[], root: Json): readonly JsonObject[] {
	const found = new Set<JsonObject>();
	const waiting = [...schemas];
	for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
		if (isJsonObject(schema) && !found.has(schema) && found.size < maxNodes) {
			found.add(schema);
			const {$ref, allOf, anyOf, oneOf, then, else: otherwise} = schema;
			waiting.push(...[resolveRef(root, $ref), allOf, anyOf, oneOf, then, otherwise].flatMap(inner => inner ?? []));
		}
	}

	return [...found];
}
