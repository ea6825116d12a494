import type {AppStore} from '../../store/store.ts';
import type {LogTails} from './log-tails.ts';

/**
 * Has the logs go with the connection: those of a login that is left are on hold until the app comes back to it, and what
 * waits for a login, or for an answer, tries at once where there is a new one. Gives how to let go.
 */
export function followConnection(store: AppStore, {hold, release, wake}: LogTails): () => void {
	return store.subscribe(({connection}, {connection: before}) => {
		if (connection.server !== before.server || connection.profile !== before.profile) {
			hold(before);
			release(connection);
		} else if (connection !== before && connection.state === 'ready') {
			wake();
		}
	});
}
