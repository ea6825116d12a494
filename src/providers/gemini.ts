import {isJsonObject, type Json, type JsonObject} from '../core/json.ts';
import type {AssistantPart, Message} from '../core/session/message.ts';
import {acceptedName, callIds, finishOf, finishWithCalls, toolCall} from './calls.ts';
import {createConverter} from './converter.ts';
import {canThink, geminiEffort} from './effort.ts';
import {endpointUrl} from './endpoint-url.ts';
import type {Vendor} from './failure.ts';
import {imagesOf, opaqueOf, withoutTail} from './history.ts';
import {at, countAt, createChoicePicker, listAt, textAt} from './json-path.ts';
import type {FinishReason, Provider, ProviderEvent, ProviderRequest} from './provider.ts';
import type {AnswerReader} from './read-answer.ts';
import type {BodyRepair} from './repairs/repair.ts';
import {askRepaired} from './repairs/repaired-request.ts';
import {alternatingContents} from './repairs/turn-order.ts';
import {usageOf} from './token-usage.ts';

const vendor: Vendor = {name: 'google', label: 'Google'};

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
	['STOP', 'stop'],
	['MAX_TOKENS', 'length'],
	['SAFETY', 'content-filter'],
	['RECITATION', 'content-filter'],
	['BLOCKLIST', 'content-filter'],
	['PROHIBITED_CONTENT', 'content-filter'],
	['SPII', 'content-filter'],
	['IMAGE_SAFETY', 'content-filter'],
	['LANGUAGE', 'content-filter'],
	['MALFORMED_FUNCTION_CALL', 'error'],
	['UNEXPECTED_TOOL_CALL', 'error'],
	['TOO_MANY_TOOL_CALLS', 'error'],
	['MISSING_THOUGHT_SIGNATURE', 'error'],
	['MALFORMED_RESPONSE', 'error'],
]);

/** Signatures of another model or key, which the API can't verify: its placeholder stands for each. */
const signatures: BodyRepair = {
	name: 'thought signatures',
	isRefused: refusal => /thought_? ?signature/i.test(refusal),
	mend(body) {
		const contents = listAt(body, 'contents');
		const plain = contents.map(content => {
			const parts = listAt(content, 'parts');
			const unsigned = parts.map(withoutSignature);
			const isSame = unsigned.every((part, index) => part === parts[index]);
			return isSame || !isJsonObject(content) ? content : {...content, parts: unsigned};
		});
		return plain.every((content, index) => content === contents[index]) ? body : {...body, contents: plain};
	},
};

function withoutSignature(part: Json): Json {
	if (!isJsonObject(part) || !('thoughtSignature' in part) || part['thoughtSignature'] === unsigned) {
		return part;
	}

	const {thoughtSignature: _, ...rest} = part;
	return 'functionCall' in rest ? {...rest, thoughtSignature: unsigned} : rest;
}

/** Fields that open models behind the same API may refuse. */
const bodyRepairs: readonly BodyRepair[] = [
	{
		name: 'effort',
		isRefused: refusal => /thinking_?(?:level|budget)/i.test(refusal),
		mend(body) {
			const {thinkingConfig, ...rest} = (body['generationConfig'] ?? {}) as JsonObject;
			const {thinkingLevel, thinkingBudget, ...config} = (thinkingConfig ?? {}) as JsonObject;
			const isSet = thinkingLevel !== undefined || thinkingBudget !== undefined;
			return isSet ? {...body, generationConfig: {...rest, thinkingConfig: config}} : body;
		},
		notice: model => `${model} takes no such reasoning effort. Continuing without it.`,
	},
	{
		name: 'thinkingConfig',
		isRefused: refusal => /thinking|include_?thoughts/i.test(refusal),
		mend(body) {
			const {thinkingConfig, ...rest} = (body['generationConfig'] ?? {}) as JsonObject;
			return thinkingConfig === undefined ? body : {...body, generationConfig: rest};
		},
	},
	signatures,
	alternatingContents,
];

/**
 * Gemini's `streamGenerateContent`. The end mark is a `finishReason`, or a `blockReason` for a prompt that was blocked.
 * Older models send one with every chunk, so the last one counts once the stream has ended.
 */
export const gemini: Provider = request => {
	const name = request.model.includes('/') ? request.model : `models/${request.model}`;
	const path = name.split('/').map(encodeURIComponent).join('/');
	const url = endpointUrl(request.baseUrl, `/v1beta/${path}:streamGenerateContent?alt=sse`);
	const toCall = (sent: ProviderRequest) => ({url, body: geminiBody(sent)});
	return askRepaired(request, {vendor, toCall, bodyRepairs, isWhole}, () => createReader(request.messages));
};

/** Without `alt=sse`, which gateways drop, the chunks come as one list. */
function isWhole({candidates, promptFeedback}: JsonObject): boolean {
	return Array.isArray(candidates) || isJsonObject(promptFeedback);
}

function createReader(messages: readonly Message[]): AnswerReader {
	const pickCandidate = createChoicePicker('candidates');
	const readPart = createPartReader(callIds(messages));
	let counts: JsonObject = {};
	let reason: FinishReason | undefined;
	let vendorReason = '';
	let message = '';
	let calls = 0;

	return {
		read(chunk, add) {
			const candidate = pickCandidate(chunk);
			for (const part of listAt(candidate, 'content', 'parts')) {
				const events = readPart(part);
				calls += events.filter(({type}) => type === 'tool-call').length;
				events.forEach(add);
			}

			const metadata = at(chunk, 'usageMetadata');
			if (isJsonObject(metadata)) {
				// Later chunks repeat the counts, some gateways with zeros at the end; early ones may lack them.
				const given = Object.entries(metadata).filter(([, count]) => count !== 0);
				counts = {...counts, ...Object.fromEntries(given)};
				if ('promptTokenCount' in counts) {
					add({type: 'usage', usage: readUsage(counts)});
				}
			}

			const blocked = textAt(chunk, 'promptFeedback', 'blockReason');
			const ending = textAt(candidate, 'finishReason');
			if (blocked) {
				reason = 'content-filter';
				vendorReason = blocked;
				message = textAt(chunk, 'promptFeedback', 'blockReasonMessage') || `The prompt was blocked: ${blocked}.`;
			} else if (ending && ending !== 'FINISH_REASON_UNSPECIFIED') {
				reason = finishReasons.get(ending) ?? 'other';
				vendorReason = ending;
				message = reason === 'stop' ? '' : textAt(candidate, 'finishMessage');
			}
		},
		isOver: () => false,
		isComplete: () => reason !== undefined,
		end(add) {
			if (reason) {
				add(finishOf(finishWithCalls(reason, calls), vendorReason, message));
			}
		},
	};
}

/**
 * Returns a function that reads parts. Consecutive pieces of one kind share an id until one of them is signed. `length`
 * is the number of characters that came with the signature, so that it goes back on just those.
 */
function createPartReader(newId: (vendorId: string) => string): (part: Json) => readonly ProviderEvent[] {
	let open: 'text-delta' | 'reasoning-delta' | undefined;
	let count = 0;

	return part => {
		const thoughtSignature = textAt(part, 'thoughtSignature');
		const call = at(part, 'functionCall');
		if (call !== undefined) {
			open = undefined;
			const opaque = thoughtSignature ? {wire: geminiFormat, data: {thoughtSignature}} : undefined;
			const text = JSON.stringify(at(call, 'args') ?? {});
			return [toolCall(newId(textAt(call, 'id')), textAt(call, 'name'), text, opaque)];
		}

		const text = textAt(part, 'text');
		if (!text && !thoughtSignature) {
			return [];
		}

		const type = at(part, 'thought') === true ? 'reasoning-delta' : 'text-delta';
		count += type === open ? 0 : 1;
		open = thoughtSignature ? undefined : type;
		const opaque = thoughtSignature && {opaque: {wire: geminiFormat, data: {thoughtSignature, length: text.length}}};
		return [{type, id: `${count}`, text, ...(opaque || {})}];
	};
}

/** The prompt's count contains cached tokens; thoughts are counted beside the candidates. */
function readUsage(counts: JsonObject) {
	const thoughts = countAt(counts, 'thoughtsTokenCount') ?? 0;
	return usageOf({
		prompt: countAt(counts, 'promptTokenCount') ?? 0,
		cacheRead: countAt(counts, 'cachedContentTokenCount') ?? 0,
		output: (countAt(counts, 'candidatesTokenCount') ?? 0) + thoughts,
		reasoning: thoughts,
	});
}

const geminiFormat = 'gemini';

/** Google's placeholder for a call that no Gemini 3 signed, because another model made it (thought signatures, FAQ). */
const unsigned = 'skip_thought_signature_validator';

/** Returns the body for Gemini's `streamGenerateContent`. */
function geminiBody({model, system, messages, tools, maxOutputTokens, effort}: ProviderRequest): JsonObject {
	return {
		...(system.trim() && {systemInstruction: {parts: [{text: system}]}}),
		contents: (isNew(model) ? toNewContents : toOldContents)(messages),
		...(tools.length > 0 && {
			tools: [
				{
					functionDeclarations: tools.map(({name, description, parameters}) => ({
						name,
						description,
						// The API refuses an object without properties.
						...(!isEmpty(parameters) && {parametersJsonSchema: parameters}),
					})),
				},
			],
		}),
		generationConfig: {
			...(maxOutputTokens !== undefined && {maxOutputTokens}),
			...(canThink(model) && {
				thinkingConfig: {includeThoughts: true, ...(effort && geminiEffort(model, effort))},
			}),
		},
	};
}

function isEmpty({properties}: JsonObject): boolean {
	return !isJsonObject(properties) || Object.keys(properties).length === 0;
}

/** True from Gemini 3 on: calls are signed, and results may hold images. */
function isNew(model: string): boolean {
	return /gemini-(?:[3-9]|\d\d)/.test(model);
}

type Content = {readonly role: 'user' | 'model'; readonly parts: readonly JsonObject[]};

const toNewContents = createConverter(messages => toContents(messages, true));
const toOldContents = createConverter(messages => toContents(messages, false));

/** Joins the results of parallel calls to one content, right after the calls. */
function toContents(messages: readonly Message[], isNewModel: boolean): readonly Content[] {
	const contents: Content[] = [];
	messages.forEach((message, index) => {
		const last = contents.at(-1);
		if (message.role === 'tool' && last && messages[index - 1]?.role === 'tool') {
			contents.splice(-1, 1, {role: 'user', parts: [...last.parts, ...toResult(message, isNewModel)]});
		} else {
			const content = toContent(message, isNewModel);
			contents.push(...(content.parts.length > 0 ? [content] : []));
		}
	});
	return contents;
}

function toContent(message: Message, isNewModel: boolean): Content {
	switch (message.role) {
		case 'user':
			return {
				role: 'user',
				parts: [
					...imagesOf(message).map(({type, data}) => ({inlineData: {mimeType: type, data}})),
					...(message.text ? [{text: message.text}] : []),
				],
			};
		case 'tool':
			return {role: 'user', parts: toResult(message, isNewModel)};
		case 'assistant': {
			const firstCall = isNewModel ? message.parts.find(({type}) => type === 'tool-call') : undefined;
			const parts = message.parts.flatMap(part => toPart(part, message, part === firstCall));
			return {role: 'model', parts: withoutTail(parts, ({thought}) => thought === true)};
		}
		default:
			return message satisfies never;
	}
}

/** Older models take images beside a result, not in it. */
function toResult(message: Extract<Message, {role: 'tool'}>, isNewModel: boolean): readonly JsonObject[] {
	const {callId, name, output, failed} = message;
	const images = imagesOf(message).map(({type, data}) => ({inlineData: {mimeType: type, data}}));
	const inside = isNewModel && images.length > 0 && {parts: images};
	const response: JsonObject = failed ? {error: output} : {output};
	const functionResponse: JsonObject = {id: callId, name: acceptedName(name), response, ...inside};
	return [{functionResponse}, ...(isNewModel ? [] : images)];
}

/** A signature goes back on the part that it came with; parts with and without one are never merged. */
function toPart(
	part: AssistantPart,
	message: Extract<Message, {role: 'assistant'}>,
	mustSign: boolean,
): readonly JsonObject[] {
	const opaque = opaqueOf(part, message, geminiFormat, 'google');
	const thoughtSignature = textAt(opaque, 'thoughtSignature');
	const signature: JsonObject = thoughtSignature ? {thoughtSignature} : {};
	switch (part.type) {
		case 'text': {
			if (!thoughtSignature) {
				return part.text ? [{text: part.text}] : [];
			}

			const start = part.text.length - Math.min(part.text.length, countAt(opaque, 'length') ?? 0);
			const signed = {text: part.text.slice(start), ...signature};
			return start > 0 ? [{text: part.text.slice(0, start)}, signed] : [signed];
		}
		case 'reasoning':
			return thoughtSignature ? [{text: part.text, thought: true, ...signature}] : [];
		case 'tool-call': {
			const functionCall = {id: part.id, name: acceptedName(part.name), args: part.arguments};
			return [{functionCall, ...(mustSign && {thoughtSignature: unsigned}), ...signature}];
		}
		default:
			return part satisfies never;
	}
}
