import type {Recents} from '../config/recents.ts';
import type {Sightings} from '../config/sightings.ts';
import type {InferenceInfo} from '../contract/resources/preferences.ts';
import {demoModel} from '../core/model.ts';
import {once} from '../core/once.ts';
import {originOf} from '../core/origin.ts';
import type {Credential} from '../net/credential.ts';
import type {Transport} from '../net/transport.ts';
import type {Embedded} from '../server/run/embedded.ts';
import {localConnection} from '../store/connection-slice.ts';
import type {AppStore} from '../store/store.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly recents: Pick<Recents, 'remember'>;
	readonly sightings: Pick<Sightings, 'remember'>;
	/** The bundled worker of the server. */
	readonly workerUrl: URL;
	readonly createTransport: (credential: Credential) => Promise<Transport>;
};

type EmbeddedAccess = {
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
export function createEmbeddedAccess({
	store,
	recents,
	sightings,
	workerUrl,
	createTransport,
}: Dependencies): EmbeddedAccess {
	const closing = new AbortController();
	let started: Promise<Embedded> | undefined;
	let info: InferenceInfo | undefined;

	const open = once(async forget => {
		const [{startEmbedded}, {getPreferences}] = await Promise.all([
			import('../server/run/embedded.ts'),
			import('../client/preferences.ts'),
		]);
		started = startEmbedded({workerUrl, signal: closing.signal, onSandboxes: store.getState().setOwnSandboxes});
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
		info = models.find(({id}) => id === demoModel);
		const {profile} = localConnection;
		recents.remember(profile, server.seen);
		const place = {profile, server: credential.origin, at: new Date().toISOString(), shown: {}};
		const {org, workspace} = server.scope;
		sightings.remember(
			server.seen.flatMap(({kind, id}) =>
				kind === 'session' || kind === 'runtime' ? [{...place, kind, id, org, workspace}] : [],
			),
		);
		if (store.getState().connection.profile === profile) {
			store.getState().setConnection({profile, server: server.url, state: 'ready'});
		}

		return server;
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
