/** Orders what is sent and what changes the session: tools and files of the old one may take seconds to end. */
export type SessionSwitch = {
	/** Does something in the session that is about to begin; at once if none is. */
	readonly inSession: (act: () => Promise<void>) => Promise<void>;
	/** Changes the session, after the changes before. If one fails, what waits goes on in the session that there is. */
	readonly change: (change: () => Promise<void>) => Promise<void>;
};

export function createSwitch(): SessionSwitch {
	/** Resolves when the last change has ended; undefined after it. */
	let changing: Promise<void> | undefined;
	const inSession = (act: () => Promise<void>) => (changing ? changing.then(act) : act());
	return {
		inSession,
		async change(change) {
			const done = inSession(change);
			const ended = done.catch(() => undefined);
			changing = ended;
			try {
				await done;
			} finally {
				changing = changing === ended ? undefined : changing;
			}
		},
	};
}
