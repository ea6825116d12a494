import {stat} from 'node:fs/promises';
import {AppError} from '../core/error.ts';
import {onlyMatch} from '../core/only-match.ts';
import {minPrefixLength} from '../core/uuid.ts';
import {explainFileError} from './file-error.ts';
import type {Home} from './home.ts';
import {sessionFiles} from './session-folder.ts';
import {type SessionSummary, summarize} from './session-summary.ts';

/** Files that are open at the same time. */
const maxOpenFiles = 16;

type Scope = {
	/** Limits sessions to this working folder. */
	readonly folder?: string;
};

/** Returns the sessions on this machine, newest first, without unreadable ones. Throws AppError("failed"). */
export async function listSessions(home: Home, {folder}: Scope = {}): Promise<readonly SessionSummary[]> {
	const files = await sessionFiles(home, folder);
	const summaries: SessionSummary[] = [];
	for (let index = 0; index < files.length; index += maxOpenFiles) {
		const read = await Promise.all(
			files.slice(index, index + maxOpenFiles).map(file => summarize(file).catch(() => undefined)),
		);
		summaries.push(...read.flatMap(summary => summary ?? []));
	}

	return summaries.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0));
}

/** Most bytes of a session that is read before anybody asked for it. */
const maxNewestBytes = 4 * 1024 * 1024;
const maxNewestFiles = 3;

/**
 * Returns the session of a folder that was written last and has a message; undefined without one among the newest three files,
 * and for a file that takes long to read. Throws what the file system throws.
 */
export async function newestSession(home: Home, folder: string): Promise<SessionSummary | undefined> {
	const files = await sessionFiles(home, folder);
	const dated = await Promise.all(files.map(async file => ({file, ...(await stat(file.path))})));
	const newest = dated.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(0, maxNewestFiles);
	for (const {file, size} of newest) {
		const summary = size > maxNewestBytes ? undefined : await summarize(file);
		if (!summary || summary.messages > 0) {
			return summary;
		}
	}

	return undefined;
}

/**
 * Finds a session by its id or a prefix of it. Throws AppError("not-found"), and AppError("usage") for fewer than four
 * characters or several matches.
 */
export async function findSession(home: Home, idOrPrefix: string, scope: Scope = {}): Promise<SessionSummary> {
	const prefix = idOrPrefix.trim().toLowerCase();
	if (prefix.length < minPrefixLength) {
		throw new AppError('usage', `Session id “${idOrPrefix}” is too short.`, {
			hint: `Use at least ${minPrefixLength} characters; list ids with \`sessions\`.`,
		});
	}

	const found = (await sessionFiles(home, scope.folder)).filter(({id}) => id.startsWith(prefix));
	const file = onlyMatch(idOrPrefix, found, {noun: 'sessions', nameOf: ({id}) => id});
	if (!file) {
		throw new AppError('not-found', `Session not found: “${idOrPrefix}”.`, {hint: 'List them with `sessions`.'});
	}

	return summarize(file).catch(error => {
		throw explainFileError(error, 'read', file.path);
	});
}
