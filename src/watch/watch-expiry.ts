import {formatAmount} from '../core/format.ts';
import {quoteLine} from '../logs/quote.ts';
import {type TailClock, waitUntil} from '../logs/tail-clock.ts';
import type {AppStore} from '../store/store.ts';
import type {WatchedSandbox} from '../store/watch-slice.ts';
import type {Notifier} from './notifier.ts';
import {shortEnvironmentId} from './watch-report.ts';

/** Follows the sandboxes that were created here until they expire. */
export type SandboxExpiry = {
	/** Adds a sandbox to the store until it expires, and notifies the user five minutes before. */
	readonly follow: (sandbox: WatchedSandbox) => void;
	/** Removes a sandbox that has ended before its time. */
	readonly end: (environment: string) => void;
	readonly close: () => void;
};

type Dependencies = {
	readonly store: AppStore;
	readonly notifier: Notifier;
	readonly clock: TailClock;
};

const minuteMs = 60_000;
const warnBeforeMs = 5 * minuteMs;

export function createSandboxExpiry({store, notifier, clock}: Dependencies): SandboxExpiry {
	const closed = new AbortController();
	const {signal} = closed;

	const until = (time: number) => waitUntil(() => time, {clock, signal});

	/** After a sleep of the machine the warning may come late, or too late. */
	const warn = (sandbox: string, leftMs: number) => {
		if (leftMs <= 0) {
			notifier.notify({alert: 'A sandbox ended.', text: `${sandbox} ended. Its files are gone.`});
			return;
		}

		const time = `in ${formatAmount(Math.ceil(leftMs / minuteMs), 'minute')}`;
		const text = `${sandbox} ends ${time}, with all its files.`;
		notifier.notify({alert: `A sandbox ends ${time}.`, text, hint: 'Save what you need.'});
	};

	const untilExpired = async (sandbox: WatchedSandbox) => {
		const {environment, task, expiresAt} = sandbox;
		if (expiresAt - clock.now() > warnBeforeMs) {
			await until(expiresAt - warnBeforeMs);
			if (!store.getState().sandboxes.includes(sandbox)) {
				return;
			}

			warn(`Sandbox ${shortEnvironmentId(environment)} (${quoteLine(task, 80)})`, expiresAt - clock.now());
		}

		await until(expiresAt);
		const {sandboxes, setSandboxes} = store.getState();
		setSandboxes(sandboxes.filter(other => other !== sandbox));
	};

	return {
		follow(sandbox) {
			const {sandboxes, setSandboxes} = store.getState();
			setSandboxes([...sandboxes, sandbox]);
			untilExpired(sandbox).catch((error: unknown) => {
				if (!signal.aborted) {
					throw error;
				}
			});
		},
		end(environment) {
			const {sandboxes, setSandboxes} = store.getState();
			setSandboxes(sandboxes.filter(sandbox => sandbox.environment !== environment));
		},
		close: () => closed.abort(),
	};
}
