import {formatAmount} from '../core/format.ts';
import {quoteLine} from '../logs/quote.ts';
import type {TailClock} from '../logs/tail-clock.ts';
import type {AppStore} from '../store/store.ts';
import type {Sandbox} from '../store/watch-slice.ts';
import {waitUntil} from './wait-until.ts';
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

const minute = 60_000;
const warning = 5 * minute;

export function createSandboxExpiry({store, words, clock}: Dependencies): SandboxExpiry {
	const ended = new AbortController();
	const {signal} = ended;

	const until = (time: number) => waitUntil(() => time, {clock, signal});

	/** A machine that slept wakes up later than it was to warn, or too late. */
	const tellOf = (sandbox: string, left: number) => {
		if (left <= 0) {
			words.tell({sign: 'A sandbox ended.', text: `${sandbox} ended. Its files are gone.`});
			return;
		}

		const time = `in ${formatAmount(Math.ceil(left / minute), 'minute')}`;
		const text = `${sandbox} ends ${time}, with all its files.`;
		words.tell({sign: `A sandbox ends ${time}.`, text, hint: 'Save what you need.'});
	};

	const watch = async (sandbox: Sandbox) => {
		const {environment, task, expiresAt} = sandbox;
		if (expiresAt - clock.now() > warning) {
			await until(expiresAt - warning);
			tellOf(`Sandbox ${environmentName(environment)} (${quoteLine(task, 80)})`, expiresAt - clock.now());
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
