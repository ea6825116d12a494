import type {Connection} from '../store/connection-slice.ts';
import type {AppStore} from '../store/store.ts';

type Listener = {
	/** Called when the app connects elsewhere, with the connection it leaves. */
	readonly hold: (left: Connection, joined: Connection) => void;
	/** Called when the app connects with another login, or back with this one. */
	readonly release: (joined: Connection) => void;
	/** Called when the same connection is ready again, as after a login. */
	readonly retry?: () => void;
};

/** Calls the listener on each change of the connection. Returns a function that stops it. */
export function followConnection(store: AppStore, {hold, release, retry}: Listener): () => void {
	return store.subscribe(({connection}, {connection: before}) => {
		if (connection.server !== before.server || connection.profile !== before.profile) {
			hold(before, connection);
			release(connection);
		} else if (connection !== before && connection.state === 'ready') {
			retry?.();
		}
	});
}
