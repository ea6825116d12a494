import type {AssistantPart, Message, MessageImage} from '../../core/session/message.ts';
import type {Repair, RequestDraft} from './repair.ts';

/** Returns a function that changes messages, each once, so that the same conversation has the same ones. */
function eachMessage(change: (message: Message) => Message) {
	const changed = new WeakMap<Message, Message>();
	return (draft: RequestDraft): RequestDraft => {
		const messages = draft.messages.map(message => {
			const known = changed.get(message) ?? change(message);
			changed.set(message, known);
			return known;
		});
		return messages.every((message, index) => message === draft.messages[index]) ? draft : {...draft, messages};
	};
}

/** Returns the images and documents that a request carries, oldest first. */
export function mediaOf({messages}: RequestDraft): readonly MessageImage[] {
	return messages.flatMap(message =>
		message.role === 'assistant' ? [] : (message.images ?? []).filter(({data}) => data !== undefined),
	);
}

function describeMedia({type, width, height, pages}: MessageImage): string {
	if (type === 'application/pdf') {
		return `A PDF of ${pages ?? 1} ${pages === 1 ? 'page' : 'pages'}`;
	}

	return `An image (${type.slice('image/'.length).toUpperCase()}, ${width}×${height})`;
}

/** Replaces images and documents by a note in words. */
function withNotes(isMeant: (image: MessageImage) => boolean): NonNullable<Repair['inDraft']> {
	return eachMessage(message => {
		const meant =
			message.role === 'assistant' ? [] : (message.images ?? []).filter(image => image.data && isMeant(image));
		if (message.role === 'assistant' || meant.length === 0) {
			return message;
		}

		const images = (message.images ?? []).filter(image => !meant.includes(image));
		const notes = meant.map(image => `[${describeMedia(image)} was here. The host refused it, so it is left out.]`);
		return message.role === 'user'
			? {...message, text: [message.text, ...notes].filter(Boolean).join('\n'), images}
			: {...message, output: [message.output, ...notes].filter(Boolean).join('\n'), images};
	});
}

const seeHint = 'Select a model that sees images: `model use`';

/** Leaves out all images, all documents or both, of this and later requests. */
export function withoutMedia(kind: 'images' | 'documents' | 'media', model: string): Repair {
	const isMeant = ({type}: MessageImage) => kind === 'media' || (type === 'application/pdf') === (kind === 'documents');
	const what = kind === 'media' ? 'images and documents' : kind;
	return {
		id: `without ${kind}`,
		what,
		notice: {text: `${model} takes no ${what} here. The model reads a note instead of each.`, hint: seeHint},
		inDraft: withNotes(isMeant),
	};
}

/** Leaves out one image or document. */
export function withoutImage(image: MessageImage): Repair {
	const {hash} = image;
	return {
		id: `without media ${hash}`,
		what: describeMedia(image).replace(/^An? /, 'the '),
		notice: {
			text: `The host refused ${describeMedia(image).replace(/^An? /, 'the ')}. The model reads a note instead.`,
			hint: 'Attach a smaller one, or in another format.',
		},
		inDraft: withNotes(other => other.hash === hash),
	};
}

/** Leaves out all but the newest images and documents. */
export function fewerImages(limit: number): Repair {
	return {
		id: `at most ${limit} images`,
		what: 'the number of images',
		notice: {text: `The host takes at most ${limit} ${limit === 1 ? 'image' : 'images'}. Older ones are left out.`},
		inDraft(draft) {
			const kept = new Set(mediaOf(draft).slice(-limit));
			return withNotes(image => !kept.has(image))(draft);
		},
	};
}

/** Ends a conversation that ends with the model, as after an interruption, with a message of the user. */
export const endWithUser: Repair = {
	id: 'end with the user',
	what: 'a conversation that ends with the model',
	notice: 'silent',
	inDraft(draft) {
		const isOpen = draft.messages.at(-1)?.role === 'assistant';
		return isOpen ? {...draft, messages: [...draft.messages, continuing]} : draft;
	},
};

const continuing: Message = {role: 'user', text: 'Continue.'};

/** Fills in messages without text. */
export const noEmptyMessages: Repair = {
	id: 'no empty messages',
	what: 'messages without text',
	notice: 'silent',
	inDraft: eachMessage(message => {
		switch (message.role) {
			case 'user':
				return message.text.trim() ? message : {...message, text: '(no text)'};
			case 'tool':
				return message.output.trim() ? message : {...message, output: '(no output)'};
			default: {
				const isEmpty = (part: AssistantPart) => part.type === 'text' && !part.text.trim();
				const hasText = message.parts.some(part => part.type === 'text' && !isEmpty(part));
				const kept = message.parts.filter(part => !isEmpty(part));
				const parts: readonly AssistantPart[] = hasText ? kept : [{type: 'text', text: '(no text)'}, ...kept];
				return hasText && kept.length === message.parts.length ? message : {...message, parts};
			}
		}
	}),
};

/** Puts the instructions before the first message of the user. */
export const instructionsInMessage: Repair = {
	id: 'instructions in the first message',
	what: 'a message with the instructions',
	notice: 'silent',
	inDraft(draft) {
		const {system, messages} = draft;
		const at = messages.findIndex(({role}) => role === 'user');
		const first = messages[at];
		if (!system.trim() || first?.role !== 'user') {
			return draft;
		}

		const known = instructed.get(first);
		const told = known?.system === system ? known.message : {...first, text: `${system}\n\n${first.text}`};
		instructed.set(first, {system, message: told});
		return {...draft, system: '', messages: messages.with(at, told)};
	},
};

const instructed = new WeakMap<Message, {readonly system: string; readonly message: Message}>();

/** Writes calls and their results as text, for hosts that take neither. */
export const callsAsText: Repair = {
	id: 'calls as text',
	what: 'earlier calls of tools',
	notice: {text: 'The host refused earlier calls of tools. The model reads them as text.'},
	inDraft: eachMessage(message => {
		if (message.role === 'tool') {
			const {name, output, images, failed} = message;
			const text = `[Result of ${name}${failed ? ', which failed' : ''}]\n${output}`;
			return {role: 'user', text, ...(images && {images})};
		}

		if (message.role === 'user' || message.parts.every(({type}) => type === 'text')) {
			return message;
		}

		const parts = message.parts.flatMap((part): readonly AssistantPart[] =>
			part.type === 'tool-call'
				? [{type: 'text', text: `[Called ${part.name} ${JSON.stringify(part.arguments)}]\n`}]
				: part.type === 'text'
					? [part]
					: [],
		);
		return {...message, parts: parts.length > 0 ? parts : [{type: 'text', text: '(no text)'}]};
	}),
};

/** Sends the newest message of the user alone. */
export const newestMessageOnly: Repair = {
	id: 'newest message only',
	what: 'the earlier conversation',
	notice: {
		text: 'The host refused the conversation. The model reads only your last message.',
		hint: 'Go back to before the refused message with `/rewind`, or start a new session with `/new`.',
	},
	inDraft(draft) {
		const last = draft.messages.findLast(({role}) => role === 'user');
		return last && draft.messages.length > 1 ? {...draft, messages: [last]} : draft;
	},
};
