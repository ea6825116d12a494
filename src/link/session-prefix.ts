import {AppError} from '../core/error.ts';
import {onlyMatch} from '../core/only-match.ts';
import {minPrefixLength} from '../core/uuid.ts';

/**
 * Returns the session of a host that an id, or the beginning of one, means; undefined if none does. Throws AppError("usage") for
 * several, and for fewer than four characters.
 */
export function matchSession<Session>(
	idOrPrefix: string,
	sessions: readonly Session[],
	idOf: (session: Session) => string,
): Session | undefined {
	const prefix = idOrPrefix.trim().toLowerCase();
	const quoted = idOrPrefix.slice(0, 40);
	if (prefix.length < minPrefixLength) {
		throw new AppError('usage', `Session id “${quoted}” is too short.`, {
			hint: `Use at least ${minPrefixLength} characters; list ids with \`attach\`.`,
		});
	}

	const matches = sessions.filter(session => idOf(session).startsWith(prefix));
	return onlyMatch(quoted, matches, {noun: 'sessions', nameOf: idOf});
}

/** Does the same. Throws AppError("not-found") if none is meant. */
export function sessionByPrefix<Session>(
	idOrPrefix: string,
	sessions: readonly Session[],
	idOf: (session: Session) => string,
): Session {
	const match = matchSession(idOrPrefix, sessions, idOf);
	if (match === undefined) {
		throw new AppError('not-found', `No session “${idOrPrefix.slice(0, 40)}” runs on this host.`, {
			hint: 'List them: `attach`',
		});
	}

	return match;
}
