import type {Duplex} from 'node:stream';
import {setTimeout as sleep} from 'node:timers/promises';
import {parseJson} from '../../core/json.ts';
import {createEgressProxy} from '../egress/egress-proxy.ts';
import {acceptConnections, type Link, type LinkEnd} from '../egress/multiplex.ts';

/** The ways out of sandboxes on an engine that reach single hosts. */
export type EgressLinks = {
	/** Opens the way out of a sandbox and keeps it open while that runs. Does nothing if this server does so. */
	readonly keepOpen: (id: string) => void;
	/** Closes that of a sandbox, or all. */
	readonly close: (id?: string) => void;
};

/** Hosts that a sandbox reaches, if its network is that of single hosts. */
type AllowedHosts = readonly string[] | 'other';

type Options = {
	/** Private ranges that the operator opens. */
	readonly openRanges: readonly string[];
	/** Returns the hosts that a sandbox reaches, or that its network is another one; undefined if it isn't there yet. */
	readonly findAllow: (id: string) => Promise<AllowedHosts | undefined>;
	/** Starts `relayCommand` in a sandbox; returns undefined if that doesn't run. */
	readonly openRelay: (id: string) => Promise<Duplex | undefined>;
	readonly decode: (output: Duplex) => AsyncIterable<Buffer>;
};

/** How long until a relay that has ended is started again: at once if it lived longer than that, and at most. */
const minDelayMs = 50;
const maxDelayMs = 30_000;

/** How long another server has the port, before this one looks again. */
const busyMs = 15_000;

/** Creates links, each with a proxy for one sandbox (SAFETY 15). Whichever server follows its log keeps it open. */
export function createEgressLinks({openRanges, findAllow, openRelay, decode}: Options): EgressLinks {
	const links = new Map<string, AbortController>();
	/** Sandboxes with another network. */
	const others = new Set<string>();

	const serve = async (id: string, signal: AbortSignal): Promise<void> => {
		const allow = await findAllow(id);
		if (allow === 'other' || allow === undefined) {
			if (allow) {
				others.add(id);
			}

			return;
		}

		let link: Link | undefined;
		const proxy = createEgressProxy({allow, openRanges, write: line => link?.write(line)});
		let delayMs = minDelayMs;
		while (!signal.aborted) {
			const began = performance.now();
			const relay = await openRelay(id);
			if (!relay) {
				return;
			}

			link = acceptConnections(relay, decode(relay), proxy.serve);
			signal.addEventListener('abort', link.close, {once: true});
			if (signal.aborted) {
				link.close();
			}

			const end = await link.ended.catch((): LinkEnd => 'closed');
			signal.removeEventListener('abort', link.close);
			const hasLived = performance.now() - began > 20 * minDelayMs;
			delayMs = end === 'busy' ? busyMs : hasLived ? minDelayMs : Math.min(2 * delayMs, maxDelayMs);
			await sleep(delayMs, undefined, {signal, ref: false}).catch(() => undefined);
		}
	};

	return {
		keepOpen(id) {
			if (links.has(id) || others.has(id)) {
				return;
			}

			const closing = new AbortController();
			links.set(id, closing);
			// If the engine is away, whoever follows the log tries again.
			serve(id, closing.signal)
				.catch(() => undefined)
				.finally(() => links.get(id) === closing && links.delete(id));
		},
		close(id) {
			for (const key of id === undefined ? [...links.keys()] : [id]) {
				links.get(key)?.abort();
				links.delete(key);
				others.delete(key);
			}
		},
	};
}

/** Returns the hosts that a label of a sandbox names. */
export function allowIn(label: string | undefined): AllowedHosts {
	const value = label === undefined ? undefined : parseJson(label);
	return Array.isArray(value) ? value.filter(each => typeof each === 'string') : 'other';
}
