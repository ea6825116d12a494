import {cutText} from '../../core/cut-text.ts';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {readInputSchema} from './input-schema.ts';

/** The key of `_meta` under which an answer carries what was repaired in it, as sentences. */
export const faultsKey = 'service/faults';

/** Revisions of the protocol with a handshake that this program reads; an unknown one is read as the newest of them. */
const handshakeVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

const maxName = 100;
/** Most characters of a part of an unknown type. */
const maxUnknownPart = 4000;

/** An item of a list in the shape of the specification, or why it is left out, and what of it was repaired; clauses. */
type Item = {readonly item: JsonObject; readonly repairs?: readonly string[]} | {readonly reason: string};

/** The lists of a server: the key of the items, what one is called, and what reads it. */
const lists: Readonly<Record<string, {key: string; noun: string; read: (item: JsonObject) => Item}>> = {
	'tools/list': {key: 'tools', noun: 'tool', read: readTool},
	'prompts/list': {key: 'prompts', noun: 'prompt', read: readPrompt},
	'resources/list': {key: 'resources', noun: 'resource', read: item => readResource(item, 'uri')},
	'resources/templates/list': {
		key: 'resourceTemplates',
		noun: 'resource template',
		read: item => readResource(item, 'uriTemplate'),
	},
};

/**
 * Reads the answer to a request part by part, and returns it in the shape of the specification, whatever a server sent. What
 * was repaired or left out is named in `_meta`. An answer to another method stays as it is.
 */
export function readAnswer(method: string, given: unknown): JsonObject {
	const answer = isJsonObject(given) ? given : {};
	const list = lists[method];
	if (list) {
		return readList(given, list);
	}

	switch (method) {
		case 'initialize':
			return readHandshake(answer);
		case 'tools/call':
			return answer['resultType'] === 'input_required' ? answer : readResult(given);
		case 'prompts/get':
			return answer['resultType'] === 'input_required' ? answer : readMessages(answer);
		case 'resources/read':
			return answer['resultType'] === 'input_required' ? answer : readContents(answer);
		case 'completion/complete':
			return readCompletion(answer);
		default:
			return answer;
	}
}

/** Returns the sentences that `readAnswer` left in an answer. */
export function faultsOf(answer: {readonly _meta?: unknown}): readonly string[] {
	const {_meta: meta} = answer;
	const faults = isJsonObject(meta) ? meta[faultsKey] : undefined;
	return Array.isArray(faults) ? faults.filter(each => typeof each === 'string') : [];
}

/** Returns an answer that is complete, in both revisions. */
function complete(fields: JsonObject, faults: readonly string[] = []): JsonObject {
	return {
		...fields,
		resultType: 'complete',
		ttlMs: 0,
		cacheScope: 'private',
		...(faults.length > 0 && {_meta: {[faultsKey]: faults}}),
	};
}

function readHandshake({protocolVersion, capabilities, serverInfo, instructions}: JsonObject): JsonObject {
	const known = handshakeVersions.find(version => version === protocolVersion);
	const info = isJsonObject(serverInfo) ? serverInfo : {};
	return {
		protocolVersion: known ?? handshakeVersions[0],
		capabilities: readCapabilities(capabilities),
		serverInfo: {name: textOf(info['name']), version: textOf(info['version'])},
		...(typeof instructions === 'string' && {instructions}),
	};
}

/** Reads what a server can do. One that says nothing at all is asked for tools. */
export function readCapabilities(given: unknown): JsonObject {
	const read = Object.entries(isJsonObject(given) ? given : {}).flatMap(([name, value]) =>
		value === null || value === false ? [] : [[name, isJsonObject(value) ? flagsOf(value) : {}] as const],
	);
	return read.length > 0 ? Object.fromEntries(read) : {tools: {}};
}

/** Returns the fields of a capability that may have their types: flags, and objects. */
function flagsOf(capability: JsonObject): JsonObject {
	const usable = Object.entries(capability).filter(([, value]) => typeof value === 'boolean' || isJsonObject(value));
	return Object.fromEntries(usable);
}

function readList(given: unknown, {key, noun, read}: (typeof lists)[string]): JsonObject {
	const answer: JsonObject = isJsonObject(given) ? given : {[key]: Array.isArray(given) ? given : null};
	const {[key]: items, nextCursor} = answer;
	const faults: string[] = [];
	if (!Array.isArray(items)) {
		faults.push(`The list of its ${noun}s is not a list.`);
	}

	const usable = (Array.isArray(items) ? items : []).flatMap((item, index) => {
		const found: Item = isJsonObject(item) ? read(item) : {reason: 'it is no object'};
		const name = nameOf(item) || `number ${index + 1}`;
		if ('reason' in found) {
			faults.push(`The ${noun} ${name} is left out: ${found.reason}.`);
			return [];
		}

		if (found.repairs && found.repairs.length > 0) {
			faults.push(`The ${noun} ${name} was repaired: ${found.repairs.join('; ')}.`);
		}

		return [found.item];
	});
	const cursor = typeof nextCursor === 'number' ? String(nextCursor) : nextCursor;
	return complete({[key]: usable, ...(typeof cursor === 'string' && {nextCursor: cursor})}, faults);
}

/** Returns the name of an item of a list, for sentences. Untrusted. */
function nameOf(item: Json): string {
	const {name, uri, uriTemplate} = isJsonObject(item) ? item : {};
	const named = [name, uri, uriTemplate].find(each => typeof each === 'string' && each.trim() !== '');
	return cutText(textOf(named), maxName);
}

function readTool(tool: JsonObject): Item {
	const {name, annotations, inputSchema = tool['input_schema'] ?? tool['parameters']} = tool;
	if (typeof name !== 'string' || name.trim() === '') {
		return {reason: 'it has no name'};
	}

	const {schema, repairs} = readInputSchema(inputSchema);
	const wrong = wrongTexts(tool, ['title', 'description']);
	const {title, readOnlyHint} = isJsonObject(annotations) ? annotations : {};
	return {
		item: {
			name,
			...textsIn(tool, ['title', 'description']),
			inputSchema: schema,
			annotations: {
				...(typeof title === 'string' && {title}),
				...(typeof readOnlyHint === 'boolean' && {readOnlyHint}),
			},
		},
		repairs: [...repairs, ...wrong],
	};
}

function readPrompt(prompt: JsonObject): Item {
	const {name, arguments: given} = prompt;
	if (typeof name !== 'string' || name.trim() === '') {
		return {reason: 'it has no name'};
	}

	const args = Array.isArray(given) ? given : [];
	const usable = args.flatMap(each => {
		const own: JsonObject = isJsonObject(each) ? each : {name: each};
		return typeof own['name'] === 'string' ? [{name: own['name'], required: own['required'] === true}] : [];
	});
	const isWhole = usable.length === args.length && (Array.isArray(given) || given === undefined || given === null);
	return {
		item: {name, ...textsIn(prompt, ['title', 'description']), arguments: usable},
		repairs: [
			...(isWhole ? [] : ['some of its arguments have no name']),
			...wrongTexts(prompt, ['title', 'description']),
		],
	};
}

function readResource(resource: JsonObject, key: 'uri' | 'uriTemplate'): Item {
	const {[key]: uri, name} = resource;
	if (typeof uri !== 'string' || uri.trim() === '') {
		return {reason: 'it has no URI'};
	}

	return {
		item: {[key]: uri, name: typeof name === 'string' ? name : uri, ...textsIn(resource, ['title', 'description'])},
	};
}

/** Reads the result of a tool. What is no list of parts is its text. */
function readResult(given: unknown): JsonObject {
	const result: JsonObject = isJsonObject(given) ? given : {content: (given ?? null) as Json};
	const {content, structuredContent, isError, _meta: _, resultType: _type, ...others} = result;
	const parts = partsOf(content ?? null);
	const isEmpty = parts.length === 0 && structuredContent === undefined;
	const rest = isEmpty && Object.keys(others).length > 0 ? [{type: 'text', text: JSON.stringify(others)}] : [];
	return complete({
		content: [...parts, ...rest],
		// Revisions differ in what this may be: as text it is read in each.
		...(parts.length === 0 &&
			structuredContent !== undefined &&
			structuredContent !== null && {content: [{type: 'text', text: JSON.stringify(structuredContent)}]}),
		isError: isError === true || isError === 'true',
	});
}

function partsOf(content: Json): readonly JsonObject[] {
	if (content === null || content === '') {
		return [];
	}

	return (Array.isArray(content) ? content : [content]).map(readPart);
}

/** Reads one part of a result. One of an unknown type is text: what it says, or its JSON. */
function readPart(part: Json): JsonObject {
	if (!isJsonObject(part)) {
		return {type: 'text', text: typeof part === 'string' ? part : JSON.stringify(part)};
	}

	const {type, text, data, uri, resource} = part;
	const mimeType = textOf(part['mimeType'] ?? part['mime_type']);
	if (typeof data === 'string' && (type === 'image' || type === 'audio' || /^(?:image|audio)\//.test(mimeType))) {
		const media = type === 'audio' || mimeType.startsWith('audio/') ? 'audio' : 'image';
		const bytes = readBase64(data);
		return bytes === undefined ? damaged(media) : {type: media, data: bytes, mimeType};
	}

	if (type === 'resource_link' && typeof uri === 'string') {
		return {type, uri, name: textOf(part['name']) || uri, ...textsIn(part, ['description'])};
	}

	if (type === 'resource' && isJsonObject(resource) && typeof resource['uri'] === 'string') {
		return {type, resource: readContent(resource)};
	}

	if (typeof text === 'string') {
		return {type: 'text', text};
	}

	const json = JSON.stringify(part);
	const cut = json.length > maxUnknownPart ? `${cutText(json, maxUnknownPart)}…` : json;
	return {type: 'text', text: `[a part of type ${cutText(textOf(type) || 'unknown', maxName)}: ${cut}]`};
}

function readContent(content: JsonObject): JsonObject {
	const {uri, text, blob} = content;
	const own = {uri: textOf(uri)};
	if (typeof blob !== 'string' || typeof text === 'string') {
		return {...own, text: asText(text)};
	}

	const bytes = readBase64(blob);
	return bytes === undefined ? {...own, text: damaged('resource').text} : {...own, blob: bytes};
}

/** Returns base64 as the SDK accepts it (RFC 4648, section 4), also from a data URL and without padding; undefined for no base64. */
function readBase64(given: string): string | undefined {
	const data = given
		.replace(/^data:[^,]{0,200},/i, '')
		.replace(/\s+/g, '')
		.replaceAll('-', '+')
		.replaceAll('_', '/');
	try {
		atob(data);
		return data;
	} catch {
		return undefined;
	}
}

/** Returns what stands for data that are no base64. */
function damaged(what: string): {readonly type: 'text'; readonly text: string} {
	return {type: 'text', text: `[a part of type ${what}: its data are damaged]`};
}

function readContents({contents}: JsonObject): JsonObject {
	const given = Array.isArray(contents) ? contents : contents === undefined || contents === null ? [] : [contents];
	return complete({contents: given.map(each => readContent(isJsonObject(each) ? each : {uri: '', text: each}))});
}

function readMessages({messages}: JsonObject): JsonObject {
	const given = Array.isArray(messages) ? messages : messages === undefined || messages === null ? [] : [messages];
	return complete({
		messages: given.flatMap(message => {
			const {role, content} = isJsonObject(message) ? message : {role: 'user', content: message};
			const own = role === 'assistant' ? 'assistant' : 'user';
			return partsOf(content ?? null).map(part => ({role: own, content: part}));
		}),
	});
}

function readCompletion({completion}: JsonObject): JsonObject {
	const {values} = isJsonObject(completion) ? completion : {};
	const texts = (Array.isArray(values) ? values : []).filter(each => typeof each === 'string');
	return complete({completion: {values: texts.slice(0, 100)}});
}

function textsIn(item: JsonObject, names: readonly string[]): JsonObject {
	const texts = names.flatMap(name => (typeof item[name] === 'string' ? [[name, item[name]] as const] : []));
	return Object.fromEntries(texts);
}

/** Returns a clause for each field that should be text and is something else. */
function wrongTexts(item: JsonObject, names: readonly string[]): readonly string[] {
	const wrong = names.filter(name => typeof (item[name] ?? '') !== 'string');
	return wrong.map(name => `its ${name} is not text`);
}

/** Returns text as it is, and a number as text; '' for anything else. */
function textOf(value: Json | undefined): string {
	return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function asText(value: Json | undefined): string {
	return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}
