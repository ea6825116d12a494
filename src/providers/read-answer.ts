import {AppError} from '../core/error.ts';
import type {Chunk, ChunkList} from './chunks.ts';
import type {ProviderEvent} from './provider.ts';

/** Adds an event to an answer. */
export type AddEvent = (event: ProviderEvent) => void;

/** Reads the chunks of one answer, in order, for one wire format. */
export type AnswerReader = {
	/** Adds what a chunk says. Throws `AppError` for an error that the chunk reports; what it added before counts. */
	readonly read: (chunk: Chunk, add: AddEvent) => void;
	/** True once the answer needs nothing more: the connection is closed without reading the rest. */
	readonly isOver: () => boolean;
	/** True once the answer is complete, so that a connection that breaks loses nothing. */
	readonly isComplete: () => boolean;
	/** Adds what is only known once the stream has ended, in whatever way. */
	readonly end: (add: AddEvent) => void;
};

/**
 * Opens an answer, and yields what a reader makes of its chunks. What arrived together is one piece for each text and call,
 * and one usage: the way of a piece to the screen and to the journal costs the same, however long it is.
 */
export async function* readAnswer(
	open: () => AsyncGenerator<ProviderEvent, AsyncIterable<ChunkList>>,
	createReader: () => AnswerReader,
): AsyncGenerator<ProviderEvent> {
	const lists = yield* open();
	const reader = createReader();
	try {
		for await (const list of lists) {
			const {events, failure} = readList(list, reader);
			// One by one: an async generator takes several times as long to delegate to a list.
			for (const event of events) {
				yield event;
			}

			if (failure) {
				throw failure.error;
			}

			if (reader.isOver()) {
				break;
			}
		}
	} catch (error) {
		if (!(reader.isComplete() && error instanceof AppError && error.code === 'network')) {
			throw error;
		}
	}

	const last: ProviderEvent[] = [];
	reader.end(event => last.push(event));
	yield* last;
}

type ReadList = {readonly events: readonly ProviderEvent[]; readonly failure?: ChunkList['failure']};

/** Reads chunks up to the end of the answer. Returns their events, joined, and the error that ended them. */
function readList({chunks, failure}: ChunkList, {read, isOver}: AnswerReader): ReadList {
	const joiner = createJoiner();
	try {
		for (const chunk of chunks) {
			read(chunk, joiner.add);
			if (isOver()) {
				return {events: joiner.end()};
			}
		}

		return {events: joiner.end(), failure};
	} catch (error) {
		return {events: joiner.end(), failure: {error}};
	}
}

type Piece = Extract<ProviderEvent, {type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta'}>;

/** Joins adjacent pieces of one text or call. Of the usages between them, which are totals so far, the last one stays. */
function createJoiner() {
	const events: ProviderEvent[] = [];
	let piece: {-readonly [Key in keyof Piece]: Piece[Key]} | undefined;
	let usage: ProviderEvent | undefined;

	const flush = () => {
		events.push(...(piece ? [piece as Piece] : []), ...(usage ? [usage] : []));
		piece = undefined;
		usage = undefined;
	};

	return {
		add(event: ProviderEvent) {
			if (event.type === 'usage') {
				usage = event;
			} else if (!isPiece(event)) {
				flush();
				events.push(event);
			} else if (piece && continues(event, piece)) {
				piece.text += event.text;
				Object.assign(piece, 'opaque' in event && {opaque: event.opaque});
			} else {
				events.push(...(piece ? [piece as Piece] : []));
				piece = {...event};
			}
		},
		end(): readonly ProviderEvent[] {
			flush();
			return events;
		},
	};
}

function isPiece(event: ProviderEvent): event is Piece {
	return event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-call-delta';
}

function continues(next: Piece, last: Pick<Piece, 'type' | 'id'>): boolean {
	const isSameName = next.type !== 'tool-call-delta' || ('name' in last && last.name === next.name);
	return next.type === last.type && next.id === last.id && isSameName;
}
