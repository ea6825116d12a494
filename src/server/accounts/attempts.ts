import type {AccountServices} from './account-services.ts';
import {hashToken} from './token.ts';

/** How many attempts are taken in how many seconds. */
type Limit = {readonly most: number; readonly seconds: number};

/** What a guess could succeed at, and what only costs the server. A correct sign-in clears what was counted. */
const limits = {
	/** By e-mail address, known or not, and network: a stranger's guesses must not lock the user out. */
	'sign-in': {most: 10, seconds: 15 * 60},
	/** By e-mail address alone: for guesses from many networks. None is cleared. */
	'sign-in-anywhere': {most: 100, seconds: 15 * 60},
	/** By network: each is a slow comparison, and two go on at once. */
	'sign-in-network': {most: 60, seconds: 60},
	/** By user: at the sign-in, and where a second factor is turned on or off. A code has a million values, three are right. */
	'second-factor': {most: 6, seconds: 15 * 60},
	/**
	 * By user, who must be logged in to try one (RFC 8628 section 5.1). Each approved login counts two; none is ever
	 * cleared, since anyone can request valid codes.
	 */
	'user-code': {most: 30, seconds: 15 * 60},
	/** By device code; `slow_down` has asked for less long before. */
	poll: {most: 60, seconds: 60},
	/** By network, and all programs together: each one is a row that waits for ten minutes, and anybody may ask. */
	'device-code': {most: 60, seconds: 60},
	'device-code-anywhere': {most: 600, seconds: 60},
} as const satisfies Record<string, Limit>;

export type AttemptKind = keyof typeof limits;

type Shared = Pick<AccountServices, 'database' | 'now'>;

/**
 * Counts an attempt before it is made, across all processes of the server. Returns the seconds to wait if there were too
 * many; undefined if the attempt is allowed.
 */
export async function countAttempt(
	{database, now}: Shared,
	kind: AttemptKind,
	who: string,
): Promise<number | undefined> {
	const {most, seconds} = limits[kind];
	const time = now();
	const at = (later: number) => new Date(time.getTime() + later * 1000).toISOString();
	const {count, resets_at: until} = await database
		.insertInto('attempts')
		.values({key: keyOf(kind, who), count: 1, resets_at: at(seconds)})
		.onConflict(conflict =>
			conflict.column('key').doUpdateSet(({eb, or, ref}) => {
				// Beyond twice the time it was written by a clock that was wrong, and would keep people out for as long as it was.
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
	return count > most ? Math.max(1, Math.ceil((Date.parse(until) - time.getTime()) / 1000)) : undefined;
}

/** Clears the count after a correct attempt. */
export async function clearAttempts({database}: Shared, kind: AttemptKind, who: string): Promise<void> {
	await database.deleteFrom('attempts').where('key', '=', keyOf(kind, who)).execute();
}

/** Hashes what was tried, because people type passwords into the wrong field. */
function keyOf(kind: AttemptKind, who: string): string {
	return `${kind}:${hashToken(who)}`;
}
