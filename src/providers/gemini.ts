import {isJsonObject, type Json, type JsonObject} from '../core/json.ts';
import type {Message} from '../core/session/message.ts';
import {callIds, finishOf, finishWithCalls, toolCall} from './calls.ts';
import {createChoicePicker} from './choice-picker.ts';
import {endpointUrl} from './endpoint-url.ts';
import type {Vendor} from './failure.ts';
import {geminiBody, geminiFormat, unsigned} from './gemini-request.ts';
import {at, countAt, listAt, textAt} from './json-path.ts';
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
	return askRepaired(request, {vendor, toCall, bodyRepairs}, () => createReader(request.messages));
};

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
				// Later chunks repeat the counts; early ones may lack them.
				counts = {...counts, ...metadata};
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
