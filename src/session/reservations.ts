import {abortable} from '../core/abortable.ts';
import type {MessageUsage} from '../core/session/usage.ts';

/** Returns the cost of a request in US dollars, 0 for an unknown one. */
type Cost = (request: Pick<MessageUsage, 'model' | 'usage'>) => number;

/** What requests of a run cost that its usage lacks, in US dollars. */
type Unrecorded = {
	/** The cost of requests that have ended. */
	readonly endedUsd: number;
	/** What requests in progress will probably cost, without what is recorded of them. */
	readonly openUsd: number;
	readonly hasOpen: boolean;
};

/** Creates what keeps the costs of requests that are made at the same time, until their usage is recorded. */
export function createReservations() {
	const reserved = new Map<string, {readonly usd: number; readonly isOpen: boolean}>();
	let waiting: (() => void)[] = [];

	return {
		/** Reserves the cost of a request with this message. The result ends that with the actual one; 0 if it failed. */
		add(messageId: string, usd: number): (actualUsd: number) => void {
			reserved.set(messageId, {usd, isOpen: true});
			return actualUsd => {
				reserved.set(messageId, {usd: actualUsd, isOpen: false});
				const woken = waiting;
				waiting = [];
				for (const wake of woken) {
					wake();
				}
			};
		},
		/** Returns what is reserved beside the recorded usage. */
		beside(recorded: ReadonlyMap<string, MessageUsage>, costOf: Cost): Unrecorded {
			let [endedUsd, openUsd, hasOpen] = [0, 0, false];
			for (const [id, {usd, isOpen}] of reserved) {
				const known = recorded.get(id);
				hasOpen ||= isOpen;
				if (isOpen) {
					openUsd += Math.max(0, usd - (known ? costOf(known) : 0));
				} else if (known) {
					reserved.delete(id);
				} else {
					endedUsd += usd;
				}
			}

			return {endedUsd, openUsd, hasOpen};
		},
		/** Resolves when a request has ended. Rejects with the signal's reason. */
		nextEnd: (signal: AbortSignal) => abortable(new Promise<void>(resolve => waiting.push(resolve)), signal),
	};
}
