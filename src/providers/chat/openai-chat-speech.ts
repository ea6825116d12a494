import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {at, countAt, listAt, textAt} from '../json-path.ts';
import type {ProviderEvent} from '../provider.ts';
import {createAnswerSplitter, type SpokenPiece} from './answer-splitter.ts';
import {chatFormat} from './openai-chat-request.ts';

const reasoningFields = ['reasoning_content', 'reasoning'] as const;

type State = {
	/** Kind and number of the part that is being streamed. */
	kind: SpokenPiece['kind'];
	part: number;
	hasText: boolean;
	/** The field that carried reasoning; empty before the first one. */
	field: string;
	/** True once an event has carried the field. */
	isFieldSent: boolean;
	/** What the vendor wants back with the whole message. */
	extra: JsonObject | undefined;
	readonly details: JsonObject[];
};

/**
 * Turns deltas into text and reasoning. A part gets a new id when the kind changes. The first piece of reasoning carries
 * the name of its field, because some hosts want it back under that name, even if it was empty.
 */
export function createSpeech(options: Parameters<typeof createAnswerSplitter>[0]) {
	const tags = createAnswerSplitter(options);
	const state: State = {
		kind: 'text',
		part: 0,
		hasText: false,
		field: '',
		isFieldSent: false,
		extra: undefined,
		details: [],
	};
	return {
		read(delta: Json | undefined): readonly ProviderEvent[] {
			// Nearly every delta has nothing else.
			const plain = plainContent(delta);
			if (plain !== undefined) {
				return tags.read(plain).flatMap(piece => eventsOf(state, piece));
			}

			addReasoningDetails(state.details, delta);
			const extra = at(delta, 'extra_content');
			// Google marks its thoughts beside the content.
			const isThought = at(extra, 'google', 'thought') === true;
			state.extra = isJsonObject(extra) && !isThought ? extra : state.extra;
			const thought = {kind: 'reasoning', text: readThought(state, delta)} as const;
			if (thought.text) {
				tags.assumeText();
			}

			const content = contentOf(at(delta, 'content'), tags.read);
			const refusal = {kind: 'text', text: textAt(delta, 'refusal')} as const;
			const pieces = [thought, ...(isThought ? content.map(asThought) : content), refusal];
			return pieces.flatMap(piece => eventsOf(state, piece));
		},
		/**
		 * Returns what was held back, and the end of the text that may be a call; known only once the stream has ended, in
		 * whatever way.
		 */
		flush(): {readonly events: readonly ProviderEvent[]; readonly call: string} {
			const {pieces, call} = tags.end();
			return {events: pieces.flatMap(piece => eventsOf(state, piece)), call};
		},
		/** Returns the event for a text that is certain. */
		say: (text: string): readonly ProviderEvent[] => eventsOf(state, {kind: 'text', text}),
		/** True once there is text other than white space. */
		hasText: () => state.hasText,
		lacksOpening: tags.lacksOpening,
		/** Returns what has to go back with the whole message. */
		seal: (hasCalls: boolean): readonly ProviderEvent[] => seal(state, hasCalls),
	};
}

/** Returns the text of a delta that has only text, and at most its role; undefined for any other. */
function plainContent(delta: Json | undefined): string | undefined {
	if (!isJsonObject(delta)) {
		return undefined;
	}

	const {content, role, ...others} = delta;
	return typeof content === 'string' && Object.keys(others).length === 0 ? content : undefined;
}

function readThought(state: State, delta: Json | undefined): string {
	const present = reasoningFields.filter(name => typeof at(delta, name) === 'string');
	const found = present.find(name => textAt(delta, name)) ?? present[0] ?? '';
	state.field ||= found;
	return textAt(delta, found) || reasoningText(delta);
}

function eventsOf(state: State, {kind, text}: SpokenPiece): readonly ProviderEvent[] {
	if (kind === 'reclassify') {
		const id = `text-${state.part}`;
		// What follows is another part.
		state.kind = 'reclassify';
		state.hasText = false;
		return [{type: 'reclassify', id}];
	}

	state.hasText ||= kind === 'text' && text.trim() !== '';
	if (!text) {
		return [];
	}

	const isNew = kind !== state.kind;
	state.part += isNew ? 1 : 0;
	state.kind = kind;
	const id = `${kind}-${state.part}`;
	if (kind === 'text') {
		return [{type: 'text-delta', id, text}];
	}

	const carriesField = state.field !== '' && isNew;
	state.isFieldSent ||= carriesField;
	const opaque = carriesField && {opaque: {wire: chatFormat, data: {field: state.field}}};
	return [{type: 'reasoning-delta', id, text, ...(opaque || {})}];
}

/** The field of reasoning that stayed empty before calls, and what only its vendor reads. */
function seal({field, isFieldSent, details, extra}: State, hasCalls: boolean): readonly ProviderEvent[] {
	const data = {
		...(field && (details.length > 0 || (hasCalls && !isFieldSent)) && {field}),
		...(details.length > 0 && {details}),
		...(extra && {extra}),
	};
	return Object.keys(data).length > 0
		? [{type: 'reasoning-delta', id: 'reasoning', text: '', opaque: {wire: chatFormat, data}}]
		: [];
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

/** Fields of a detail that grow from piece to piece; the others come once. */
const growing: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

/**
 * Adds OpenRouter's `reasoning_details` of a delta to those of the answer, which must go back complete and in order.
 * Pieces of one detail share type and index, and are consecutive.
 */
function addReasoningDetails(details: JsonObject[], delta: Json | undefined): void {
	for (const piece of listAt(delta, 'reasoning_details')) {
		if (isJsonObject(piece)) {
			const last = details.at(-1);
			if (last && continues(last, piece)) {
				details.splice(-1, 1, merged(last, piece));
			} else {
				details.push(piece);
			}
		}
	}
}

/** Returns the text of a delta's details. */
function reasoningText(delta: Json | undefined): string {
	return listAt(delta, 'reasoning_details')
		.map(piece => textAt(piece, 'text') || textAt(piece, 'summary'))
		.join('');
}

function continues(last: JsonObject, piece: JsonObject): boolean {
	const index = countAt(piece, 'index');
	const id = textAt(piece, 'id');
	const otherId = id !== '' && textAt(last, 'id') !== '' && id !== textAt(last, 'id');
	return (
		textAt(last, 'type') === textAt(piece, 'type') &&
		countAt(last, 'index') === index &&
		index !== undefined &&
		!otherId
	);
}

function merged(last: JsonObject, piece: JsonObject): JsonObject {
	const entries = Object.entries(piece).flatMap(([key, value]): [string, Json][] => {
		const before = last[key];
		if (growing.has(key) && typeof value === 'string' && typeof before === 'string') {
			return [[key, before + value]];
		}

		return value === null && before !== undefined ? [] : [[key, value]];
	});
	return {...last, ...Object.fromEntries(entries)};
}
