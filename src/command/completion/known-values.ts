import type {CompletionKind} from '../../config/completion-values.ts';
import type {SavedSession} from '../../store/view-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';

/** The kind of an argument's value. `saved-session` is a session on this machine, `session` one on the platform. */
export type ValueKind = CompletionKind | 'saved-session';

/** A value of an argument, with a hint if the value doesn't explain itself. */
export type KnownValue = string | {readonly value: string; readonly hint: string};

/** Returns the known values of a kind, best first. It is synchronous and fast, because a key press waits for it; never throws. */
export type KnownValues = (kind: ValueKind) => readonly KnownValue[];

/** Returns sessions as values: the prefix of the id that lists show, with the title (SAFETY 1). */
export function sessionValues(sessions: readonly SavedSession[]): readonly KnownValue[] {
	return sessions.map(({id, title, about}) => ({value: id.slice(0, 8), hint: safeLine(title || about)}));
}
