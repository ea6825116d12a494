import type {Database, Queries} from '../database/tables.ts';
import type {DataAccess} from '../kit/services.ts';
import {hashToken} from './token.ts';

/** How many attempts are allowed in how many seconds. */
type Limit = {readonly max: number; readonly seconds: number};

/** Limits for guesses that could succeed, and for requests that cost the server much. */
const limits = {
	/**
	 * By e-mail address (known or not) and network, so that a stranger's guesses don't lock the user out. A successful
	 * login resets it.
	 */
	'sign-in': {max: 10, seconds: 15 * 60},
	/** By e-mail address, against guesses from many networks. Never reset. */
	'sign-in-anywhere': {max: 100, seconds: 15 * 60},
	/** By network: each attempt is a slow comparison, and only two run at a time. */
	'sign-in-network': {max: 60, seconds: 60},
	/**
	 * By user: at login, and when turning a second factor on or off. A code has a million values, of which three are
	 * valid.
	 */
	'second-factor': {max: 6, seconds: 15 * 60},
	/**
	 * By user, who must be logged in (RFC 8628, section 5.1). Each approved login counts twice. Never reset, since
	 * anyone can request valid codes.
	 */
	'user-code': {max: 30, seconds: 15 * 60},
	/** By network, for codes that no invitation has; and by invitation, each time that its form is sent. */
	'invitation-unknown': {max: 60, seconds: 60},
	invitation: {max: 30, seconds: 15 * 60},
	/** By network: each login at the provider that begins stores a row for ten minutes. */
	oidc: {max: 120, seconds: 60},
	/** By logout token of the provider, which is valid for less: each counts once. */
	'oidc-logout': {max: 1, seconds: 15 * 60},
	/** By device code; `slow_down` asks clients to poll less long before that. */
	poll: {max: 60, seconds: 60},
	/** By network, and for all programs together: anyone may ask, and each request stores a row for ten minutes. */
	'device-code': {max: 60, seconds: 60},
	'device-code-anywhere': {max: 600, seconds: 60},
} as const satisfies Record<string, Limit>;

export type AttemptKind = keyof typeof limits;

/**
 * Counts an attempt before it is made, across all processes of the server. Returns the seconds to wait if there were
 * too many; undefined if the attempt is allowed.
 */
export async function countAttempt(
	{database, now}: {readonly database: Queries; readonly now: DataAccess['now']},
	kind: AttemptKind,
	subject: string,
): Promise<number | undefined> {
	const {max, seconds} = limits[kind];
	const time = now();
	const at = (later: number) => new Date(time.getTime() + later * 1000).toISOString();
	const {count, resets_at: until} = await database
		.insertInto('attempts')
		.values({key: keyOf(kind, subject), count: 1, resets_at: at(seconds)})
		.onConflict(conflict =>
			conflict.column('key').doUpdateSet(({eb, or, ref}) => {
				// A reset time more than twice the period away was written with a wrong clock, and would lock users out
				// for that long.
				const isOver = or([eb('attempts.resets_at', '<=', at(0)), eb('attempts.resets_at', '>', at(2 * seconds))]);
				return {
					count: eb
						.case()
						.when(isOver)
						.then(1)
						.else(eb('attempts.count', '+', 1))
						.end(),
					resets_at: eb.case().when(isOver).then(at(seconds)).else(ref('attempts.resets_at')).end(),
				};
			}),
		)
		.returning(['count', 'resets_at'])
		.executeTakeFirstOrThrow();
	return count > max ? Math.max(1, Math.ceil((Date.parse(until) - time.getTime()) / 1000)) : undefined;
}

/** Clears the count after a correct attempt. */
export async function clearAttempts(
	{database}: {readonly database: Database},
	kind: AttemptKind,
	subject: string,
): Promise<void> {
	await database.deleteFrom('attempts').where('key', '=', keyOf(kind, subject)).execute();
}

/** Hashes the attempt's subject, because people type passwords into the wrong field. */
function keyOf(kind: AttemptKind, subject: string): string {
	return `${kind}:${hashToken(subject)}`;
}
