import type {AgentEvent} from './event.ts';
import {noArguments, type PartialArguments, readArguments} from './partial-arguments.ts';

/**
 * A piece of a call that the model is still writing. It is drawn and then forgotten: the session keeps the complete call
 * alone, and nothing is run from pieces.
 */
export type CallPiece = {
	readonly type: 'call-piece';
	/** The same for all pieces of a call; not the id of the complete call. */
	readonly id: string;
	readonly name: string;
	/** The next part of the arguments' JSON. */
	readonly text: string;
	/** Masks the credentials that are known here in what is drawn of the call. */
	readonly hide?: ((text: string) => string) | undefined;
};

/** The pieces so far are void: the answer is asked for again. */
export type PiecesDropped = {readonly type: 'pieces-dropped'};

/** A call that the model is still writing. */
export type CallDraft = Pick<CallPiece, 'id' | 'name' | 'hide'> & {readonly arguments: PartialArguments};

/** Most calls that are drawn while they are written. */
const maxDrafts = 8;

/** Adds a piece to its call, or begins a new one. */
export function addPiece(drafts: readonly CallDraft[], piece: CallPiece | PiecesDropped): readonly CallDraft[] {
	if (piece.type === 'pieces-dropped') {
		return drafts.length === 0 ? drafts : [];
	}

	const {id, name, text, hide} = piece;
	const index = drafts.findIndex(draft => draft.id === id);
	const draft = drafts[index] ?? {id, name, hide, arguments: noArguments};
	const next = {...draft, name: name || draft.name, arguments: readArguments(draft.arguments, text)};
	return index === -1 ? [...drafts, next].slice(-maxDrafts) : drafts.with(index, next);
}

/** Returns the calls that are still being written after an event. Calls come complete in the order in which they began. */
export function draftsAfter(drafts: readonly CallDraft[], event: AgentEvent): readonly CallDraft[] {
	if (drafts.length === 0) {
		return drafts;
	}

	switch (event.type) {
		case 'tool-call':
			return drafts.slice(1);
		case 'run-start':
		case 'run-end':
		case 'user-message':
		case 'tool-result':
		case 'approval-request':
			return [];
		default:
			return drafts;
	}
}
