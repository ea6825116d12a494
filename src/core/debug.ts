import {AppError, isAbort} from './error.ts';
import type {Recorded} from './session/event.ts';

/** One line of the file that `SERVICE_DEBUG` names. No field holds content: no prompt, answer, file or credential. */
export type DebugEntry =
	| {
			/** `request` was sent by this program, `served` was answered by it. */
			readonly kind: 'request' | 'served';
			readonly method: string;
			/** As `debugUrl` returns it. */
			readonly url: string;
			/** Undefined if no response came. */
			readonly status: number | undefined;
			/** Until the last byte of the response. */
			readonly durationMs: number;
			/** Of the response: its decompressed body for `request`, everything on the connection for `served`. */
			readonly bytes: number;
			/** Why the response is missing or incomplete: a code, never a message. */
			readonly error?: string;
	  }
	| {
			readonly kind: 'event';
			readonly type: Recorded['event']['type'];
			readonly seq: number;
			/** Of the event as JSON. */
			readonly bytes: number;
	  }
	| {
			readonly kind: 'hook';
			readonly event: string;
			/** Null if a signal or the time limit ended it. */
			readonly status: number | null;
			readonly outcome: 'passed' | 'denied' | 'failed';
			readonly durationMs: number;
	  }
	| {
			/** A warning of Node. */
			readonly kind: 'warning';
			readonly name: string;
	  }
	| {
			readonly kind: 'frame';
			/** Ink's layout, the comparison with the last frame, and the write. */
			readonly durationMs: number;
			/** Written to the terminal. */
			readonly bytes: number;
	  };

export type Debug = (entry: DebugEntry) => void;

/** Returns a URL without user name and fragment, and with every value of its query masked. */
export function debugUrl(text: string): string {
	const {origin, pathname, searchParams} = new URL(text);
	const names = [...searchParams.keys()].map(name => `${encodeURIComponent(name)}=***`);
	return `${origin}${pathname}${names.length > 0 ? `?${names.join('&')}` : ''}`;
}

/** Returns the entry for a record of a session. */
export function debugRecord({seq, event}: Recorded): DebugEntry {
	return {kind: 'event', type: event.type, seq, bytes: Buffer.byteLength(JSON.stringify(event))};
}

/** Returns the code of an error: that of the cause if it has one, as `ECONNREFUSED`. */
export function debugError(error: unknown): string {
	if (isAbort(error)) {
		return 'aborted';
	}

	const cause = error instanceof AppError ? error.cause : error;
	const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
	return typeof code === 'string' ? code : error instanceof AppError ? error.code : 'bug';
}
