import {AppError} from '../core/error.ts';
import {type Origin, originOf} from '../core/origin.ts';
import type {Transport} from '../net/transport.ts';
import {type Connection, localConnection} from '../store/connection-slice.ts';
import type {AppStore} from '../store/store.ts';

/** What is known of whether the server that the app is connected to answers. */
export type Contact = {
	/** Returns the transport to a server. Whether it answers is the state of the connection to that server. */
	readonly follow: (transport: Transport, server: Origin) => Transport;
	/** Returns the connected server if it has said nothing for a minute, once a minute. The app's own says when it ends. */
	readonly silent: () => Origin | undefined;
};

/** For how long an answer proves that a server answers. */
const freshMs = 60_000;

/** Creates the contact. `now` returns milliseconds on a monotonic clock. */
export function createContact(store: AppStore, now = performance.now.bind(performance)): Contact {
	const heardAt = new Map<Origin, number>();
	const report = (server: Origin, state: Connection['state']) => {
		heardAt.set(server, now());
		const {connection, setConnection} = store.getState();
		// One that failed for a reason, as after a logout, is not ready because the server answers.
		const isOpen = connection.profile !== localConnection.profile && connection.detail === undefined;
		if (isOpen && connection.state !== state && originOf(connection.server) === server) {
			setConnection({...connection, state});
		}
	};

	return {
		follow: (transport, server) => async request => {
			try {
				const response = await transport(request);
				report(server, 'ready');
				return response;
			} catch (error) {
				// A limit that a caller sets is over sooner than a server is gone.
				if (error instanceof AppError && error.code === 'network' && !request.signal?.aborted) {
					report(server, 'failed');
				}

				throw error;
			}
		},
		silent() {
			const {profile, server: address} = store.getState().connection;
			if (profile === localConnection.profile) {
				return undefined;
			}

			const server = originOf(address);
			const isFresh = now() - (heardAt.get(server) ?? now()) < freshMs;
			heardAt.set(server, isFresh ? (heardAt.get(server) ?? now()) : now());
			return isFresh ? undefined : server;
		},
	};
}
