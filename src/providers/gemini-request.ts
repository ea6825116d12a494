import {isJsonObject, type JsonObject} from '../core/json.ts';
import type {AssistantPart, Message} from '../core/session/message.ts';
import {acceptedName} from './calls.ts';
import {createConverter} from './converter.ts';
import {canThink, geminiEffort} from './effort.ts';
import {imagesOf, opaqueOf, withoutTail} from './history.ts';
import {countAt, textAt} from './json-path.ts';
import type {ProviderRequest} from './provider.ts';

export const geminiFormat = 'gemini';

/** Google's placeholder for a call that no Gemini 3 signed, because another model made it (thought signatures, FAQ). */
export const unsigned = 'skip_thought_signature_validator';

/** Returns the body for Gemini's `streamGenerateContent`. */
export function geminiBody({model, system, messages, tools, maxOutputTokens, effort}: ProviderRequest): JsonObject {
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
