import {type ConnectionPool, openPool} from './undici-agent.ts';

/**
 * How long connections may rest. Later, somebody in between may have forgotten them without a word, and a request on them would
 * hang. The time is that of the wall: timers stand still while a laptop sleeps.
 */
const maxRestMs = 60_000;

/** Codes of Node and undici for a connection that broke. */
const brokenOff: readonly unknown[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

/**
 * Opens a pool that connects and looks names up again for the first request after a rest. What is in progress then goes
 * on. A server may close an idle connection just as a request is sent on it: a GET whose connection breaks without a response,
 * though the server answered before, is sent once more on a new one. Throws as `openPool` does.
 */
export async function openRestedPool(
	options: Parameters<typeof openPool>[0],
	now: () => number = Date.now,
): Promise<ConnectionPool> {
	let usedAt = now();
	let pool = Promise.resolve(await openPool(options));
	const retired: ConnectionPool[] = [];
	const answered = new Set<string>();
	const renew = () => {
		const old = pool;
		pool = openPool(options);
		answered.clear();
		void old.then(rested => {
			rested.retire();
			retired.push(rested);
		});
	};

	const current = () => {
		if (now() - usedAt > maxRestMs) {
			renew();
		}

		usedAt = now();
		return pool;
	};

	return {
		async request(sent) {
			const opened = await current();
			const isReused = answered.has(sent.origin);
			const response = await opened.request(sent).catch(async (error: unknown) => {
				const isBroken = error instanceof Error && 'code' in error && brokenOff.includes(error.code);
				if (!(isBroken && isReused && (sent.method === 'GET' || sent.method === 'HEAD'))) {
					throw error;
				}

				renew();
				return (await pool).request(sent);
			});
			answered.add(sent.origin);
			usedAt = now();
			return response;
		},
		warm: origin =>
			void current().then(
				({warm}) => warm(origin),
				() => undefined,
			),
		rehearse: async sent => (await pool).rehearse(sent),
		retire: () => void pool.then(({retire}) => retire()),
		close: async () => {
			await Promise.all([...retired, await pool].map(({close}) => close()));
		},
	};
}
