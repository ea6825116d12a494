import {isDeeper, isJsonObject, type Json, type JsonObject, parseJson} from '../core/json.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {ProviderEvent} from '../providers/provider.ts';
import {
	accepts,
	isOfType,
	listOf,
	maxDepth,
	placeIn,
	propertyOf,
	resolved,
	type SchemaPlace,
	typesOf,
} from '../providers/schema/accepts.ts';

type CallEvent = Extract<ProviderEvent, {type: 'tool-call'}>;

/**
 * Returns a call with its arguments as the tool's JSON Schema wants them, where what the model wrote can mean nothing else:
 * JSON as text (`"20"`, `"[{…}]"`, also twice encoded) where no text is wanted, one item in place of a list, `null` for an
 * optional argument, all arguments inside another object. Its name is that of the tool, without what hosts leave around it. Anything
 * else stays as it is. It is done before the call is shown, kept and approved, so that what is approved is what runs. A text stays a
 * text where the schema takes one.
 */
export function fitCall(call: CallEvent, tools: readonly ToolDefinition[]): CallEvent {
	const named = (wanted: string) => tools.find(({name}) => name === wanted);
	const tool = named(call.name) ?? named(bareName(call.name));
	if (!tool) {
		return call;
	}

	const {malformed, ...rest} = {...call, name: tool.name};
	const given = malformed === undefined ? call.arguments : parseText(malformed, ['object']);
	const adapted = given === undefined ? undefined : fitArguments(given, tool.parameters);
	const isUsable = isJsonObject(adapted) && !isDeeper(adapted, 2 * maxDepth);
	return isUsable ? {...rest, arguments: adapted} : {...call, name: tool.name};
}

/** Returns a name without what hosts leave around it: the namespace of a template, its marks, and white space. */
function bareName(name: string): string {
	return name
		.trim()
		.replace(/^(?:functions|tools|default_api)[.:]/, '')
		.replace(/<\|.*$/s, '');
}

/** Returns the arguments of a call as a schema wants them; see `fitCall`. */
export function fitArguments(given: Json, schema: JsonObject): Json {
	const place = placeIn(schema);
	const adapted = adapt(given, schema, place);
	const whole = isJsonObject(adapted) ? unwrapped(adapted, schema, place) : adapted;
	return place.budget.steps < 0 ? given : whole;
}

function adapt(value: Json, schema: unknown, place: SchemaPlace): Json {
	const part = resolved(schema, place.root);
	if (!part || place.depth > maxDepth || --place.budget.steps < 0) {
		return value;
	}

	const below = {...place, depth: place.depth + 1};
	const chosen = adaptChoice(value, part, below);
	const whole = listOf(part['allOf']).reduce<Json>((so, each) => adapt(so, each, below), chosen);
	const types = typesOf(part);
	if (isOfType(whole, types, part)) {
		return Array.isArray(whole)
			? adaptList(whole, part, below)
			: isJsonObject(whole)
				? adaptObject(whole, part, below)
				: whole;
	}

	const parsed = typeof whole === 'string' ? parseText(whole, types) : undefined;
	if (parsed !== undefined && (typeof parsed === 'string' || isOfType(parsed, types, part))) {
		return adapt(parsed, schema, below);
	}

	const other = types?.includes('array') ? inList(parsed ?? whole) : onlyObject(whole);
	const adapted = other && adapt(other, schema, below);
	return adapted && accepts(adapted, part, below) ? adapted : whole;
}

/** Returns the object that is the only item of a list; undefined for any other value. */
function onlyObject(value: Json): JsonObject | undefined {
	const [first, ...others] = Array.isArray(value) ? value : [];
	return isJsonObject(first) && others.length === 0 ? first : undefined;
}

/** Fits a value to the one alternative that takes it after that, if none takes it as it is. */
function adaptChoice(value: Json, {anyOf, oneOf}: JsonObject, place: SchemaPlace): Json {
	const choices = [...listOf(anyOf), ...listOf(oneOf)];
	if (choices.length === 0 || choices.some(choice => accepts(value, choice, place))) {
		return value;
	}

	const adapted = new Map<string, Json>();
	for (const choice of choices) {
		const other = adapt(value, choice, place);
		if (accepts(other, choice, place)) {
			adapted.set(JSON.stringify(other), other);
		}
	}

	const [only = value] = adapted.values();
	return adapted.size === 1 ? only : value;
}

function adaptList(list: readonly Json[], part: JsonObject, place: SchemaPlace): Json {
	const {items} = part;
	const adapted = list.map(item => adapt(item, items, place));
	const [first] = list;
	// A list that is itself the only item of a list, or text of one.
	if (list.length !== 1 || first === undefined || accepts(adapted, part, place)) {
		return adapted;
	}

	const inner = adapt(first, part, place);
	return Array.isArray(inner) && accepts(inner, part, place) ? inner : adapted;
}

function adaptObject(object: JsonObject, part: JsonObject, place: SchemaPlace): JsonObject {
	const required = new Set(listOf(part['required']));
	const entries = Object.entries(object).flatMap(([key, value]) => {
		const schema = propertyOf(part, key);
		const adapted = adapt(value, schema, place);
		const isAbsent = adapted === null || adapted === 'null' || adapted === '';
		const isLeftOut =
			isAbsent && !required.has(key) && (schema === false ? adapted === null : !accepts(adapted, schema, place));
		return isLeftOut ? [] : [[key, adapted] as const];
	});
	return Object.fromEntries(entries);
}

/** Returns arguments that stand inside another object, such as `{"arguments": {…}}`, beside texts at most. */
function unwrapped(given: JsonObject, schema: JsonObject, place: SchemaPlace): JsonObject {
	const isKnown = (key: string) => propertyOf({...schema, additionalProperties: false}, key) !== false;
	const entries = Object.entries(given);
	const isFree = schema['additionalProperties'] === true || isJsonObject(schema['additionalProperties']);
	if (
		entries.length === 0 ||
		isFree ||
		(entries.some(([key]) => isKnown(key)) && (entries.length > 1 || accepts(given, schema, place)))
	) {
		return given;
	}

	const inner = entries.flatMap(([, value]) => {
		const adapted = adapt(value, schema, place);
		const isMeant = isJsonObject(adapted) && Object.keys(adapted).every(isKnown) && accepts(adapted, schema, place);
		return isMeant ? [adapted] : [];
	});
	const others = entries.filter(([, value]) => typeof value !== 'object' || value === null);
	const [only = given] = inner;
	return inner.length === 1 && others.length >= entries.length - 1 ? only : given;
}

/** Returns a value as the only item of a list; undefined for a text that may stand for several. */
function inList(value: Json): readonly Json[] | undefined {
	return Array.isArray(value) || value === null || (typeof value === 'string' && /^\s*[[{]|[,;\n]|^\s*$/.test(value))
		? undefined
		: [value];
}

/** Returns what a text stands for as JSON; undefined if it isn't JSON, or a number of which digits would be lost. */
function parseText(text: string, types: readonly string[] | undefined): Json | undefined {
	const isWord = types?.includes('boolean') && /^\s*(?:true|false)\s*$/i.test(text);
	const value = parseJson(isWord ? text.toLowerCase() : text);
	const isExact =
		typeof value !== 'number' || (Math.abs(value) <= Number.MAX_SAFE_INTEGER && text.replace(/\D/g, '').length <= 17);
	return isExact && value !== undefined && !isDeeper(value, maxDepth) ? value : undefined;
}
