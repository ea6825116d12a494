import type {Recents} from '../config/recents.ts';
import type {Sightings} from '../config/sightings.ts';
import type {InferenceInfo} from '../contract/resources/preferences.ts';
import {servedDemoModel} from '../core/model.ts';
import {once} from '../core/once.ts';
import {originOf} from '../core/origin.ts';
import type {Credential} from '../net/credential.ts';
import type {Transport} from '../net/transport.ts';
import type {Embedded} from '../server/run/embedded.ts';
import {type Connection, localConnection} from '../store/connection-slice.ts';
import type {AppStore} from '../store/store.ts';

type EmbeddedParts = {
	readonly store: AppStore;
	readonly recents: Recents;
	readonly sightings: Sightings;
	/** The bundled worker of the server. */
	readonly workerUrl: URL;
	/** Where compiled code is kept; nowhere if it is undefined. */
	readonly codeCache: string | undefined;
	readonly createTransport: (credential: Credential) => Promise<Transport>;
};

export type EmbeddedAccess = {
	/**
	 * Returns the server. It starts at the first call, and again after it ended. Throws AppError("failed") if it can't start,
	 * and an abort once it was closed.
	 */
	readonly open: () => Promise<Embedded>;
	/** Returns what it says of its model; undefined until it runs. */
	readonly modelInfo: () => InferenceInfo | undefined;
	/** Ends it with everything it started. After that it doesn't start again. */
	readonly close: () => Promise<void>;
};

/** Creates the access to the app's own server, which needs no account. */
export function createEmbeddedAccess(parts: EmbeddedParts): EmbeddedAccess {
	const {store, workerUrl, codeCache, createTransport} = parts;
	const closing = new AbortController();
	let started: Promise<Embedded> | undefined;
	let info: InferenceInfo | undefined;

	/** Changes the connection in the store, if it is to this server. */
	const report = (change: Partial<Connection>) => {
		const {connection, setConnection} = store.getState();
		if (connection.profile === localConnection.profile) {
			setConnection({...localConnection, ...change});
		}
	};

	const start = async (forget: () => void) => {
		const [{startEmbedded}, {getPreferences}] = await Promise.all([
			import('../server/run/embedded.ts'),
			import('../client/preferences.ts'),
		]);
		started = startEmbedded({
			workerUrl,
			codeCache,
			signal: closing.signal,
			onSandboxes: store.getState().setOwnSandboxes,
		});
		const server = await started;
		void server.ended.then(why => {
			forget();
			store.getState().setOwnSandboxes(0);
			const {connection, setConnection} = store.getState();
			if (connection.server === server.url && !closing.signal.aborted) {
				const detail = `The embedded server ended unexpectedly (${why}). The next message starts it again.`;
				setConnection({...connection, state: 'failed', detail});
			}
		});
		const credential = {origin: originOf(server.url), kind: 'bearer' as const, secret: server.token};
		const {models} = await getPreferences(server.url, await createTransport(credential));
		closing.signal.throwIfAborted();
		info = models.find(({id}) => id === servedDemoModel);
		rememberDemo(server, credential.origin, parts);
		report({server: server.url, state: 'ready'});
		return server;
	};

	const open = once(async forget => {
		report({state: 'starting'});
		try {
			return await start(forget);
		} catch (error) {
			if (!closing.signal.aborted) {
				report({state: 'failed'});
			}

			throw error;
		}
	});

	return {
		open,
		modelInfo: () => info,
		async close() {
			closing.abort();
			await started?.then(
				server => server.close(),
				() => undefined,
			);
		},
	};
}

/** Remembers what the demo data of the server has, for completion and `/resume`. */
function rememberDemo(
	{seen, scope: {org, workspace}}: Embedded,
	server: string,
	{recents, sightings}: EmbeddedParts,
): void {
	const {profile} = localConnection;
	recents.remember(profile, seen);
	const place = {profile, server, at: new Date().toISOString(), shown: {}};
	sightings.remember(
		seen.flatMap(({kind, id}) =>
			kind === 'session' || kind === 'runtime' ? [{...place, kind, id, org, workspace}] : [],
		),
	);
}
