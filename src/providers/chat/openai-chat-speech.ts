import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {at, listAt, textAt} from '../json-path.ts';
import type {ProviderEvent} from '../provider.ts';
import {chatWire} from './openai-chat-request.ts';
import {addReasoningDetails, reasoningText} from './reasoning-details.ts';
import {createThinkSplitter, type SpokenPiece} from './think-tags.ts';

const reasoningFields = ['reasoning_content', 'reasoning'] as const;

/**
 * Turns deltas into text and reasoning. A part gets a new id whenever the kind changes. The first piece of reasoning
 * carries the name of its field, because some hosts want it back under that name, even if nothing was in it.
 */
export function createSpeech() {
	const tags = createThinkSplitter();
	const details: JsonObject[] = [];
	let extra: JsonObject | undefined;
	let kind: SpokenPiece['kind'] = 'text';
	let part = 0;
	let field = '';
	let isFieldTold = false;

	const speak = ({kind: now, text}: SpokenPiece): readonly ProviderEvent[] => {
		if (!text) {
			return [];
		}

		const isNew = now !== kind;
		part += isNew ? 1 : 0;
		kind = now;
		const id = `${kind}-${part}`;
		if (kind === 'text') {
			return [{type: 'text-delta', id, text}];
		}

		const tellsField = field !== '' && isNew;
		isFieldTold ||= tellsField;
		return [{type: 'reasoning-delta', id, text, ...(tellsField && {opaque: {wire: chatWire, data: {field}}})}];
	};

	const thoughtOf = (delta: Json | undefined): string => {
		const present = reasoningFields.filter(name => typeof at(delta, name) === 'string');
		const found = present.find(name => textAt(delta, name)) ?? present[0] ?? '';
		field ||= found;
		return textAt(delta, found) || reasoningText(delta);
	};

	return {
		say(delta: Json | undefined): readonly ProviderEvent[] {
			addReasoningDetails(details, delta);
			const given = at(delta, 'extra_content');
			const thought = {kind: 'reasoning', text: thoughtOf(delta)} as const;
			const content = contentOf(at(delta, 'content'), tags.read);
			// Google marks its thoughts beside the content.
			const isThought = at(given, 'google', 'thought') === true;
			extra = isJsonObject(given) && !isThought ? given : extra;
			const refusal = {kind: 'text', text: textAt(delta, 'refusal')} as const;
			return [thought, ...(isThought ? content.map(asThought) : content), refusal].flatMap(speak);
		},
		/** Returns what was held back; known only once the stream has ended, in whatever way. */
		flush: (): readonly ProviderEvent[] => tags.end().flatMap(speak),
		/** Tells what has to go back with a whole message: the field of reasoning that stayed empty before calls, and what only its vendor reads. */
		seal(hasCalls: boolean): readonly ProviderEvent[] {
			const data = {
				...(field && (details.length > 0 || (hasCalls && !isFieldTold)) && {field}),
				...(details.length > 0 && {details}),
				...(extra && {extra}),
			};
			return Object.keys(data).length > 0
				? [{type: 'reasoning-delta', id: 'reasoning', text: '', opaque: {wire: chatWire, data}}]
				: [];
		},
	};
}

function asThought({text}: SpokenPiece): SpokenPiece {
	return {kind: 'reasoning', text};
}

/** Content is a string, or a list of parts as Mistral's reasoning models send it. */
function contentOf(
	content: Json | undefined,
	readTags: (text: string) => readonly SpokenPiece[],
): readonly SpokenPiece[] {
	if (typeof content === 'string') {
		return readTags(content);
	}

	return listAt(content).flatMap((part): readonly SpokenPiece[] => {
		const pieces = listAt(part, 'thinking').map(piece => textAt(piece, 'text'));
		const thought = textAt(part, 'thinking') || pieces.join('');
		return [{kind: 'reasoning', text: thought}, ...readTags(textAt(part, 'text'))];
	});
}
