import type {AppStore} from '../store/store.ts';

/** Calls `notify` with each new alert. Returns how to stop that. */
export function followAlerts(store: AppStore, notify: (text: string) => void): () => void {
	return store.subscribe(({alert}, before) => {
		if (alert && alert !== before.alert) {
			notify(alert.text);
		}
	});
}
