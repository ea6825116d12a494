import {AppError} from '../core/error.ts';
import {explainFileError} from './file-error.ts';
import type {Home} from './home.ts';
import {sessionFiles} from './session-folder.ts';
import {type SessionSummary, summarize} from './session-summary.ts';

/** Files that are open at one time. */
const atOnce = 16;
/** Fewer characters of an id are too easily right by chance. */
const shortestPrefix = 4;
const mostCandidates = 5;

type Scope = {
	/** The working folder whose sessions are meant; those of every folder otherwise. */
	readonly folder?: string;
};

/** The sessions on this machine, newest first. One that cannot be read is left out. Throws `AppError` (`failed`). */
export async function listSessions(home: Home, {folder}: Scope = {}): Promise<readonly SessionSummary[]> {
	const files = await sessionFiles(home, folder);
	const summaries: SessionSummary[] = [];
	for (let index = 0; index < files.length; index += atOnce) {
		const read = await Promise.all(
			files.slice(index, index + atOnce).map(file => summarize(file).catch(() => undefined)),
		);
		summaries.push(...read.flatMap(summary => summary ?? []));
	}

	return summaries.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0));
}

/**
 * Finds one session by its id or the beginning of it. Throws `AppError`: `not-found`, or `usage` for fewer than four
 * characters and where several sessions begin so.
 */
export async function findSession(home: Home, idOrPrefix: string, scope: Scope = {}): Promise<SessionSummary> {
	const prefix = idOrPrefix.trim().toLowerCase();
	if (prefix.length < shortestPrefix) {
		throw new AppError('usage', `“${idOrPrefix}” is too short for a session.`, {
			hint: `Give at least ${shortestPrefix} characters of its id; \`sessions\` lists them.`,
		});
	}

	const found = (await sessionFiles(home, scope.folder)).filter(({id}) => id.startsWith(prefix));
	const [file] = found;
	if (!file) {
		throw new AppError('not-found', `There is no session ${idOrPrefix}.`, {hint: 'Run `sessions` to see them all.'});
	}

	if (found.length > 1) {
		const ids = found.slice(0, mostCandidates).map(({id}) => id);
		const more = found.length > mostCandidates ? ` and ${found.length - mostCandidates} more` : '';
		throw new AppError('usage', `${found.length} sessions begin with ${idOrPrefix}: ${ids.join(', ')}${more}.`, {
			hint: 'Type more characters of the id.',
		});
	}

	return summarize(file).catch(error => {
		throw explainFileError(error, 'read', file.path);
	});
}
