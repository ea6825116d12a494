import {isJsonObject, type Json, type JsonObject, parseJson} from '../../core/json.ts';
import {
	callsAsText,
	endWithUser,
	fewerImages,
	instructionsInMessage,
	mediaOf,
	noEmptyMessages,
	withoutImage,
	withoutMedia,
} from './message-repairs.ts';
import type {BodyRepair, HostRefusal, Repair, RepairedWire, RequestDraft, SentTool} from './repair.ts';
import {
	fewerTools,
	plainArgumentNames,
	plainArguments,
	plainToolNames,
	shortDescriptions,
	withoutTool,
	withoutTools,
} from './tool-repairs.ts';
import {isOrderRefused} from './turn-order.ts';

/** A request that was refused. */
export type RefusedRequest = {
	readonly refusal: HostRefusal;
	readonly draft: RequestDraft;
	readonly body: JsonObject;
	readonly wire: RepairedWire;
	/** True for an image or tool that this host and model took before. */
	readonly wasAccepted: (key: string) => boolean;
};

/** What hosts of FastAPI and others repeat of the request, which isn't what they say about it. */
const echoes: ReadonlySet<string> = new Set([
	'input',
	'request',
	'request_id',
	'requestId',
	'body_preview',
	'failed_generation',
]);
const maxText = 16_000;

/** Returns what a host says, from all places of its answer, without what it repeats of the request. */
export function refusalWords(text: string): string {
	const body = parseJson(text);
	const said =
		body === undefined
			? text
			: JSON.stringify(body, (key, value) => (echoes.has(key) && typeof value !== 'number' ? undefined : value));
	return (said ?? '').slice(0, maxText).replaceAll('\\"', '"').replaceAll('\\n', ' ');
}

/**
 * The table of repairs: each row reads a refusal and returns the repairs to try, the mildest first. Each of them is enough
 * by itself if the row is right.
 */
const rows: ReadonlyArray<(request: RefusedRequest) => readonly Repair[]> = [
	({refusal, wire, draft}) =>
		wire.bodyRepairs
			.filter(({isOrder, isRefused}) => !isOrder && isRefused(refusal.text))
			.map(repair => toRepair(repair, draft.model)),
	repairNumberOfTools,
	repairTools,
	({refusal, draft}) =>
		isToolRefused(refusal.text) ? [withoutTools(draft.model), combined(withoutTools(draft.model), callsAsText)] : [],
	repairMedia,
	repairTokenLimit,
	repairMessages,
	repairUnknownField,
];

/** Returns the repairs for a refusal whose words somebody knows, in the order in which to try them. */
export function repairsFor(request: RefusedRequest): readonly Repair[] {
	return rows.flatMap(row => row(request));
}

/** Returns a repair of a body as one of a request. */
export function toRepair({name, mend, notice}: BodyRepair, model: string): Repair {
	const text = notice?.(model);
	return {id: name, what: name, inBody: mend, notice: text === undefined ? 'silent' : {text}};
}

/** Returns several repairs as one. */
export function combined(...repairs: readonly Repair[]): Repair {
	const [first] = repairs;
	const notices = repairs.flatMap(({notice}) => (notice === undefined || notice === 'silent' ? [] : notice));
	return {
		id: repairs.map(({id}) => id).join(' + '),
		what: first?.what ?? '',
		notice: notices[0] ?? 'silent',
		inDraft: draft => repairs.reduce((changed, {inDraft}) => inDraft?.(changed) ?? changed, draft),
		inBody: body => repairs.reduce((changed, {inBody}) => inBody?.(changed) ?? changed, body),
	};
}

const lacking = "(?:not|n't|un)[ -]?(?:support|allow|permit|enabled|available|implemented)";
const tool = String.raw`\b(?:tools?\b|tool[ _-]?(?:use|calls?|calling|choice)\b|function[ _-]call(?:s|ing)?\b)`;
const toolRefusals = [
	new RegExp(String.raw`${lacking}[^.\n]{0,60}${tool}`, 'i'),
	new RegExp(String.raw`${tool}[^.\n]{0,60}${lacking}`, 'i'),
	/(?:unknown|unrecognized|unexpected|extra)[^.\n]{0,60}\btools\b/i,
	/no endpoints found that support tool|tool[ _]choice[^.\n]{0,40}requires|tools param requires/i,
];

function isToolRefused(text: string): boolean {
	return toolRefusals.some(pattern => pattern.test(text));
}

const numbersIn = (text: string) =>
	[...text.matchAll(/(?<![\w.-])\d{1,7}(?![\w-])/g)].map(([digits]) => Number(digits));

/** Returns the largest number of a text that is below `limit`. */
function largestBelow(limit: number, text: string): number | undefined {
	const numbers = numbersIn(text).filter(number => number > 0 && number < limit);
	return numbers.length > 0 ? Math.max(...numbers) : undefined;
}

function messageOf(text: string): string {
	return text.replace(/"(?:code|status|status_code)":\s*"?\d+"?/g, '');
}

function repairNumberOfTools({refusal: {text}, draft, wire}: RefusedRequest): readonly Repair[] {
	const count = draft.tools.length;
	const isMeant =
		/\btools?\b|functions?\b|declarations?/i.test(text) &&
		/too (?:many|long)|at most|max(?:imum)?\b|limit|exceed|more than|no more|up to/i.test(text) &&
		!/description|propert|parameter|schema|\bname\b|character/i.test(text);
	if (count < 2 || !isMeant) {
		return [];
	}

	const modelId = `${wire.vendor.name}/${draft.model}`;
	const named = largestBelow(count, messageOf(text));
	const limits = named === undefined ? [Math.floor(count / 2), Math.floor(count / 4)] : [named];
	return limits.filter(limit => limit > 0).map(limit => fewerTools(limit, modelId, draft.tools));
}

/** Returns the tools that a refusal names, or counts from 0 as the request has them. */
function namedTools(text: string, tools: readonly SentTool[]): readonly SentTool[] {
	const places = /declarations["'\]]*\s*[.,[:/]+\s*"?\d/i.test(text)
		? /declarations["'\]]*\s*[.,[:/]+\s*"?(\d{1,4})/gi
		: /\btools["'\]]*\s*[.,[:/]+\s*"?(\d{1,4})/gi;
	const counted = [...text.matchAll(places)].flatMap(([, index]) => tools[Number(index)] ?? []);
	const words = new Set(text.match(/[\w-]+/g) ?? []);
	const named = tools.filter(({name, given}) => [name, given.name].some(each => words.has(each) && /[_-]/.test(each)));
	const quoted = tools.filter(({name}) => new RegExp(`(?:function|tool|name)[ :]*["'\`]${name}["'\`]`, 'i').test(text));
	return [...new Set([...counted, ...named, ...quoted])];
}

const schemaWords =
	/schema|propert|anyOf|any_of|oneOf|allOf|\$?ref\b|\$defs|additionalProperties|parameters|\benum\b|keyword|unknown name|\bitems\b|not of type|is not valid under/i;
/** What llama.cpp says of a schema or a tool that it can make no grammar of. */
const grammarWords =
	/schema conversion|unrecognized schema|(?:pars|initializ|generat)\w* (?:the )?(?:grammar|samplers?|(?:a )?parser)/i;
const nameOfArgument =
	/propert\w*[^\n]{0,120}(?:keys?\b|names?\b|match|pattern)|keys? (?:should|must) match|keys?:? .{0,60}pattern/i;
const nameOfTool =
	/\bname\b[^\n]{0,160}(?:match|pattern|length|long|character|invalid|start|unique|duplicate|alphanumeric)|(?:invalid|illegal|duplicate)[^\n]{0,40}\bname|duplicate[^\n]{0,60}(?:tool|function)|(?:tool|function)[^\n]{0,40}(?:unique|duplicate)/i;

function repairTools({refusal: {text}, draft}: RefusedRequest): readonly Repair[] {
	const named = namedTools(text, draft.tools);
	const [first] = named;
	const isMeant =
		first !== undefined ||
		grammarWords.test(text) ||
		(/\btools?\b|function|input_schema|declarations?/i.test(text) && schemaWords.test(text));
	if (draft.tools.length === 0 || !(isMeant || (nameOfTool.test(text) && /tool|function/i.test(text)))) {
		return [];
	}

	const isName = nameOfTool.test(text);
	const length = largestBelow(64, messageOf(text).replace(/\[\d+\]|\.\d+/g, ''));
	const isLong = /description[^\n]{0,120}(?:long|length|max|exceed|at most|more than|character)/i.test(text);
	return [
		...(nameOfArgument.test(text) ? [plainArgumentNames(first?.given)] : []),
		...(isLong ? [shortDescriptions(largestBelow(5000, messageOf(text)) ?? 1000)] : []),
		...(isName && length !== undefined && length >= 16 ? [plainToolNames(length)] : []),
		...(isName ? [plainToolNames(64), plainToolNames(32)] : []),
		plainArguments('servers', first?.given),
		plainArguments('all', first?.given),
		combined(plainArguments('all', first?.given), plainToolNames(32)),
		...named.slice(0, 3).map(withoutTool),
		...(grammarWords.test(text) ? [withoutTools(draft.model)] : []),
	];
}

const mediaWords =
	/image|vision|visual|multi-?modal|mmproj|projector|picture|inline_?data|base64|mime|media|input_file|file_data|attachment|document|pdf|\bclip\b|llava|content (?:type|part)|content[^.\n]{0,60}\bstr(?:ing)?\b/i;

function repairMedia({refusal: {text, status}, draft, wasAccepted}: RefusedRequest): readonly Repair[] {
	const media = mediaOf(draft);
	const isMeant = mediaWords.test(text) || status === 415;
	if (media.length === 0 || !isMeant) {
		return [];
	}

	const count = largestBelow(media.length, messageOf(text));
	const isCount = /too many|at most|max(?:imum)?|limit|exceed|up to|more than/i.test(text) && count !== undefined;
	const isOne =
		/too (?:large|big|small)|size|dimension|pixels|invalid|corrupt|decod|process|could not|couldn't|unable|failed|unsupported (?:image )?(?:format|type|media)|exceed|password|encrypted|mime/i.test(
			text,
		) &&
		!/no endpoints|not support|n't support|not a (?:multi-?modal|vision)|not enabled|mmproj|projector|unknown variant|unsupported (?:message )?content|deserializ|at most 0|missing data required/i.test(
			text,
		);
	const isPdf = /pdf|document|input_file|file_data/i.test(text) && !/image/i.test(text);
	const isImage = /image|vision|projector/i.test(text) && !/pdf|document/i.test(text);
	const newest = media.filter(({hash}) => !wasAccepted(hash));
	return [
		...(isCount ? [fewerImages(count)] : []),
		...(isOne && newest.length > 0 ? [combinedAs(newest.map(withoutImage))] : []),
		...(isPdf ? [withoutMedia('documents', draft.model)] : []),
		...(isImage ? [withoutMedia('images', draft.model)] : []),
		withoutMedia('media', draft.model),
	];
}

/** Returns repairs of the same kind as one, which the first of them names. */
function combinedAs(repairs: readonly Repair[]): Repair {
	const [first, ...others] = repairs;
	return others.length === 0 && first ? first : combined(...repairs);
}

function repairTokenLimit({refusal: {text}, draft, body}: RefusedRequest): readonly Repair[] {
	const generation = body['generationConfig'];
	const field = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'].find(name => name in body);
	const current = field ? body[field] : isJsonObject(generation) ? generation['maxOutputTokens'] : undefined;
	if (typeof current !== 'number' || !/max_?(?:\w+_)?tokens|maxOutputTokens/i.test(text)) {
		return [];
	}

	const limit = largestBelow(current, messageOf(text));
	return limit === undefined || limit < 16 || draft.maxOutputTokens === limit
		? []
		: [
				{
					id: `at most ${limit} tokens`,
					what: 'the limit of tokens',
					notice: 'silent',
					inDraft: request => ({...request, maxOutputTokens: limit}),
				},
			];
}

function repairMessages({refusal: {text}, wire, draft}: RefusedRequest): readonly Repair[] {
	const order = wire.bodyRepairs.filter(({isOrder}) => isOrder).map(repair => toRepair(repair, draft.model));
	const isOrder = isOrderRefused(text);
	/** Templates that name the roles that they know, such as user and assistant. */
	const isRole = /\bonly\b[^.\n]{0,60}\broles?\b|\bsupported roles?\b/i.test(text);
	const isSystem =
		isRole ||
		(/system|developer|instruction/i.test(text) && /role|message|support|instruction|first|begin/i.test(text));
	const isOpen =
		/prefill|(?:last|final) (?:message|turn|role|assistant)|end with (?:a |an )?["'`]?user|add_generation_prompt/i;
	const isEmpty =
		/empty|non-?whitespace|(?:content|text|parts?)\b[^\n]{0,80}(?:required|null|missing|blank|at least)|none is not|minimum length|too short/i;
	const isCall =
		isRole ||
		/tool_?(?:calls?|use|results?)|toolConfig|role[^\n]{0,20}["'`]?tool|function_?(?:call|response)/i.test(text) ||
		(/\btool\b/i.test(text) && /role/i.test(text)) ||
		// Templates that look for the last message of the user, and take none with a result for one.
		/no user (?:query|message)/i.test(text);
	const ofOrder = isOrder
		? [
				...order,
				combined(instructionsInMessage, ...order),
				combined(callsAsText, ...order),
				combined(callsAsText, instructionsInMessage, ...order),
				// Templates of open models fail at definitions of tools, too, and at calls that none is defined for.
				plainArguments('all', undefined),
				combined(withoutTools(draft.model), callsAsText, instructionsInMessage, ...order),
			]
		: [];
	const ofCalls = isCall
		? [combined(callsAsText, ...order), combined(withoutTools(draft.model), callsAsText, ...order)]
		: [];
	return [
		...(isOpen.test(text) ? [endWithUser] : []),
		...(isEmpty.test(text) ? [noEmptyMessages] : []),
		...(isOrder ? [] : ofCalls),
		...(isSystem ? [instructionsInMessage, combined(instructionsInMessage, ...order)] : []),
		...(isRole ? [combined(callsAsText, instructionsInMessage, ...order)] : []),
		...ofOrder,
		...ofCalls,
	];
}

/** Fields without which a body says nothing, or something else. */
const essential: ReadonlySet<string> = new Set([
	'model',
	'messages',
	'input',
	'contents',
	'stream',
	'role',
	'content',
	'parts',
	'text',
	'type',
	'name',
	'id',
	'tools',
	'system',
	'systemInstruction',
	'instructions',
	'function',
	'arguments',
	'tool_call_id',
	'call_id',
	'output',
	'tool_use_id',
	'functionDeclarations',
	'functionCall',
	'functionResponse',
	'response',
	'args',
	'source',
	'data',
]);
/** Fields whose value is of somebody else. */
const foreign: ReadonlySet<string> = new Set([
	'parameters',
	'input_schema',
	'parametersJsonSchema',
	'arguments',
	'args',
	'response',
	'input',
]);

const unknownField =
	/unknown|unrecogni[sz]ed|unexpected|unsupported|not (?:supported|permitted|allowed|recogni[sz]ed)|extra (?:inputs?|fields?)|cannot find field|n't support|invalid (?:field|parameter|argument)|not a valid/i;

/** Leaves out a field that a host names and doesn't know. */
function repairUnknownField({refusal: {text}, body, wire}: RefusedRequest): readonly Repair[] {
	if (!unknownField.test(text)) {
		return [];
	}

	const names = new Set(text.match(/[A-Za-z_]\w{2,40}/g) ?? []);
	return [...fieldsOf(body)]
		.filter(name => names.has(name) && (/[_A-Z]/.test(name) || new RegExp(`["'\`.]${name}["'\`:]`).test(text)))
		.slice(0, 3)
		.map(name => ({
			id: `field ${name}`,
			what: `the field ${name}`,
			notice: {text: `${wire.vendor.label} refused the field ${name}. Continuing without it.`},
			inBody: sent => withoutFieldNamed(sent, name) as JsonObject,
		}));
}

function fieldsOf(value: Json, found = new Set<string>(), depth = 0): Set<string> {
	for (const [key, inner] of depth < 8 && typeof value === 'object' && value !== null ? Object.entries(value) : []) {
		if (!Array.isArray(value) && !essential.has(key)) {
			found.add(key);
		}

		if (!foreign.has(key) || depth === 0) {
			fieldsOf(inner, found, depth + 1);
		}
	}

	return found;
}

function withoutFieldNamed(value: Json, name: string, depth = 0): Json {
	if (Array.isArray(value)) {
		const items = value.map(item => withoutFieldNamed(item, name, depth + 1));
		return items.every((item, index) => item === value[index]) ? value : items;
	}

	if (!isJsonObject(value)) {
		return value;
	}

	const entries = Object.entries(value).flatMap(([key, inner]) =>
		key === name
			? []
			: [[key, foreign.has(key) && depth > 0 ? inner : withoutFieldNamed(inner, name, depth + 1)] as const],
	);
	const isSame = entries.length === Object.keys(value).length && entries.every(([key, inner]) => inner === value[key]);
	return isSame ? value : Object.fromEntries(entries);
}
