import type {CompletionKind} from '../../config/completion-values.ts';
import type {SavedSession} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';

/** What the value of an argument is; `saved-session` is a session on this machine, `session` one of the platform. */
export type ValueKind = CompletionKind | 'saved-session';

/** A value that an argument may take; with what it is where the value does not say so. */
export type KnownValue = string | {readonly value: string; readonly hint: string};

/** The known values of a kind, best first. Synchronous and cheap, because a key press waits for it; never throws. */
export type KnownValues = (kind: ValueKind) => readonly KnownValue[];

/** Sessions as values: the beginning of the id as lists show it, with what the session is about (SAFETY 1). */
export function sessionValues(sessions: readonly SavedSession[]): readonly KnownValue[] {
	return sessions.map(({id, title, preview}) => ({value: id.slice(0, 8), hint: safeLine(title || preview)}));
}
