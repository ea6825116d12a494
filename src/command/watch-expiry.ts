import {quoteLine} from '../logs/quote.ts';
import type {TailClock} from '../logs/tail.ts';
import type {AppStore} from '../store/store.ts';
import type {Sandbox} from '../store/watch-slice.ts';
import {environmentName, type WatchWords} from './watch-words.ts';

/** Sandboxes that were made here, each until its end. */
export type SandboxExpiry = {
	/** The store shows it until it ends, and five minutes before that the person is told. */
	readonly follow: (sandbox: Sandbox) => void;
	readonly close: () => void;
};

type Dependencies = {
	readonly store: AppStore;
	readonly words: WatchWords;
	readonly clock: Pick<TailClock, 'now' | 'sleep'>;
};

const warning = 5 * 60_000;
/** A clock may jump, and a machine may sleep: so the time is looked at again and again. */
const step = 30_000;

export function createSandboxExpiry({store, words, clock}: Dependencies): SandboxExpiry {
	const ended = new AbortController();
	const {signal} = ended;

	const until = async (time: number) => {
		for (let left = time - clock.now(); left > 0; left = time - clock.now()) {
			await clock.sleep(Math.min(left, step), signal);
		}
	};

	const watch = async (sandbox: Sandbox) => {
		const {environment, task, expiresAt} = sandbox;
		if (expiresAt - clock.now() > warning) {
			await until(expiresAt - warning);
			const text = `The sandbox ${environmentName(environment)} (${quoteLine(task, 80)}) ends in 5 minutes, and all that is in it.`;
			words.tell({sign: 'A sandbox ends in 5 minutes.', text, hint: 'Save what you need of it.'});
		}

		await until(expiresAt);
		const {sandboxes, setSandboxes} = store.getState();
		setSandboxes(sandboxes.filter(other => other !== sandbox));
	};

	return {
		follow(sandbox) {
			const {sandboxes, setSandboxes} = store.getState();
			setSandboxes([...sandboxes, sandbox]);
			watch(sandbox).catch((error: unknown) => {
				if (!signal.aborted) {
					throw error;
				}
			});
		},
		close: () => ended.abort(),
	};
}
