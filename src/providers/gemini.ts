import {isJsonObject, type Json, type JsonObject} from '../core/json.ts';
import {callIds, finishOf, finishWithCalls, toolCall} from './calls.ts';
import {createChoicePicker} from './chat/choice.ts';
import {untilBreak} from './chunks.ts';
import type {Vendor} from './failure.ts';
import {geminiBody, geminiWire} from './gemini-request.ts';
import {endpointUrl} from './history.ts';
import {at, countAt, listAt, textAt} from './json-path.ts';
import {type OptionalField, openWithout, optionalTools} from './optional-fields.ts';
import type {FinishReason, Provider, ProviderEvent} from './provider.ts';
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

/** What open models behind the same API may refuse. */
const optionalFields: readonly OptionalField[] = [
	{
		name: 'thinkingConfig',
		isRefused: refusal => /thinking|include_?thoughts/i.test(refusal),
		without(body) {
			const {thinkingConfig, ...rest} = (body['generationConfig'] ?? {}) as JsonObject;
			return thinkingConfig === undefined ? body : {...body, generationConfig: rest};
		},
	},
	optionalTools,
];

/**
 * Gemini's `streamGenerateContent`. The end mark is a `finishReason`, or a `blockReason` for a prompt that was refused;
 * older models send one with every chunk, so that the last one counts when the stream has ended.
 */
export const gemini: Provider = async function* (request) {
	const name = request.model.includes('/') ? request.model : `models/${request.model}`;
	const path = name.split('/').map(encodeURIComponent).join('/');
	const call = {
		url: endpointUrl(request.baseUrl, `/v1beta/${path}:streamGenerateContent?alt=sse`),
		body: geminiBody(request),
	};
	const chunks = yield* openWithout(request, vendor, call, optionalFields);

	const pickCandidate = createChoicePicker('candidates');
	const parts = partReader(callIds(request.messages));
	let counts: JsonObject = {};
	let reason: FinishReason | undefined;
	let word = '';
	let message = '';
	let calls = 0;

	for await (const chunk of untilBreak(chunks, () => reason !== undefined)) {
		const candidate = pickCandidate(chunk);
		for (const part of listAt(candidate, 'content', 'parts')) {
			const events = parts(part);
			calls += events.filter(({type}) => type === 'tool-call').length;
			yield* events;
		}

		const metadata = at(chunk, 'usageMetadata');
		if (isJsonObject(metadata)) {
			// Later chunks restate the counts; some say nothing of them yet.
			counts = {...counts, ...metadata};
			yield* 'promptTokenCount' in counts ? [{type: 'usage', usage: readUsage(counts)} as const] : [];
		}

		const blocked = textAt(chunk, 'promptFeedback', 'blockReason');
		const ending = textAt(candidate, 'finishReason');
		if (blocked) {
			reason = 'content-filter';
			word = blocked;
			message = textAt(chunk, 'promptFeedback', 'blockReasonMessage') || `The prompt was blocked: ${blocked}.`;
		} else if (ending && ending !== 'FINISH_REASON_UNSPECIFIED') {
			reason = finishReasons.get(ending) ?? 'other';
			word = ending;
			message = reason === 'stop' ? '' : textAt(candidate, 'finishMessage');
		}
	}

	if (reason) {
		yield finishOf(finishWithCalls(reason, calls), word, message);
	}
};

/**
 * Reads parts. Pieces of one kind that follow each other share an id until one of them was signed; `length` tells how
 * many of the part's last characters came with the signature, so that it goes back on just them.
 */
function partReader(newId: (vendorId: string) => string): (part: Json) => readonly ProviderEvent[] {
	let open: 'text-delta' | 'reasoning-delta' | undefined;
	let count = 0;

	return part => {
		const thoughtSignature = textAt(part, 'thoughtSignature');
		const call = at(part, 'functionCall');
		if (call !== undefined) {
			open = undefined;
			const opaque = thoughtSignature ? {wire: geminiWire, data: {thoughtSignature}} : undefined;
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
		const opaque = thoughtSignature && {opaque: {wire: geminiWire, data: {thoughtSignature, length: text.length}}};
		return [{type, id: `${count}`, text, ...(opaque || {})}];
	};
}

/** The prompt's count contains cached tokens; thoughts are counted beside the candidates, what tools read is apart. */
function readUsage(counts: JsonObject) {
	const thoughts = countAt(counts, 'thoughtsTokenCount') ?? 0;
	return usageOf({
		prompt: countAt(counts, 'promptTokenCount') ?? 0,
		cacheRead: countAt(counts, 'cachedContentTokenCount') ?? 0,
		output: (countAt(counts, 'candidatesTokenCount') ?? 0) + thoughts,
		reasoning: thoughts,
	});
}
