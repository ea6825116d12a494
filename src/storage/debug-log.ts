import {closeSync, constants, openSync, writeSync} from 'node:fs';
import {resolve} from 'node:path';
import type {Debug, DebugEntry} from '../core/debug.ts';
import {AppError} from '../core/error.ts';
import {redact} from '../core/secrets/redact.ts';
import {errnoOf, fileReason} from './file-error.ts';
import {assertPrivate, noFollow} from './private-file.ts';

/** The file that `SERVICE_DEBUG` names. */
export type DebugLog = {
	/** Appends one line of JSON. Never throws: after a failure nothing more is written. */
	readonly write: Debug;
	/** Adds a function that hides credentials, to those that are known by their shape. */
	readonly hideWith: (hide: (text: string) => string) => void;
};

type Options = {
	readonly now?: () => Date;
};

/**
 * Opens a file for debugging, readable for the user alone; it's created if it doesn't exist. Throws AppError("usage") if it
 * can't be written, is a link, or belongs to another user.
 */
export function openDebugLog(path: string, {now = () => new Date()}: Options = {}): DebugLog {
	const file = openPrivate(resolve(path));
	let hide = redact;
	let isBroken = false;

	return {
		write(entry) {
			if (isBroken) {
				return;
			}

			try {
				writeSync(file, `${JSON.stringify({at: now().toISOString(), ...hidden(entry, hide)})}\n`);
			} catch {
				// A disk that is full must not end the program that is debugged.
				isBroken = true;
			}
		},
		hideWith(another) {
			hide = text => another(redact(text));
		},
	};
}

function openPrivate(path: string): number {
	let file: number | undefined;
	try {
		file = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | noFollow, 0o600);
		assertPrivate(file, path);
		return file;
	} catch (error) {
		if (file !== undefined) {
			closeSync(file);
		}

		if (!errnoOf(error) && !(error instanceof AppError)) {
			throw error;
		}

		const reason = error instanceof AppError ? error.message : `Can't write ${path}: ${fileReason(error)}.`;
		throw new AppError('usage', `Invalid SERVICE_DEBUG: ${reason}`, {
			hint: 'Set SERVICE_DEBUG to a file that you can write, or unset it.',
			cause: error,
		});
	}
}

/** Returns the entry with credentials hidden in each of its texts. */
function hidden(entry: DebugEntry, hide: (text: string) => string): Readonly<Record<string, unknown>> {
	return Object.fromEntries(
		Object.entries(entry).map(([name, value]) => [name, typeof value === 'string' ? hide(value) : value]),
	);
}
