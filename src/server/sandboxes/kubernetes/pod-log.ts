import {setTimeout as sleep} from 'node:timers/promises';
import * as z from 'zod/mini';
import {formatMegabytes} from '../../../containment/containment.ts';
import {AppError} from '../../../core/error.ts';
import {parseJson} from '../../../core/json.ts';
import {maxLogBytes} from '../docker/container-log.ts';
import {maxWindowBytes, windowOf} from '../log-window.ts';
import type {LogWindow} from '../provider.ts';
import type {ClusterClient, ClusterRequest} from './cluster-client.ts';
import {createLogReader, type LinePlace, nanosecondsOf} from './log-lines.ts';
import {containerName} from './object-names.ts';

/**
 * A place in the log of a pod, with its offset in the whole log of the sandbox. It is kept with the sandbox now and then, so
 * that another server finds the offset, although the cluster keeps only the end of a long log, and none of a pod that is
 * gone.
 */
const positionSchema = z.object({
	offset: z.int().check(z.gte(0)),
	pod: z.string(),
	place: z.optional(z.object({time: z.string(), lines: z.int(), bytes: z.int()})),
});

export type LogPosition = z.output<typeof positionSchema>;

/** Returns the position in an annotation; undefined for none, and for anything else. */
export function parsePosition(text: string | undefined): LogPosition | undefined {
	return positionSchema.safeParse(parseJson(text ?? '')).data;
}

/** What a log needs to know of its pod. */
export type LoggedPod = {readonly uid: string; readonly hasEnded: boolean};

export type PodLogSource = {
	/** Returns the pod; undefined if there is none. Asks the cluster. */
	readonly findPod: () => Promise<LoggedPod | undefined>;
	/** Returns the position that was kept. */
	readonly findPosition: () => Promise<LogPosition | undefined>;
	readonly keepPosition: (position: LogPosition) => Promise<void>;
	/** Returns lines of the server for the end of the log. */
	readonly findNotes: () => Promise<string>;
	/** Called once, when the log is longer than may be. */
	readonly onFull: () => void;
};

/** The log of one sandbox, which is followed while somebody reads it. */
export type PodLog = {
	/** Returns a window; undefined if there is no log. With `hasEnded`, only a log that is complete has nothing new. */
	readonly read: (options: {readonly after?: number; readonly hasEnded?: boolean}) => Promise<LogWindow | undefined>;
	/** Reads to the end of a pod that ends, and keeps where that is. */
	readonly finish: () => Promise<void>;
	/** Returns whether nobody has read it for a while. */
	readonly isIdle: () => boolean;
	readonly close: () => void;
};

/** How much is read before somebody takes it. Then the cluster waits. */
const aheadBytes = 1024 * 1024;

/** How much of what was taken stays for whoever reads the end. */
const tailBytes = maxWindowBytes;

/** How often a position is kept: clusters keep 10 MiB at least, with times. */
const keptEveryBytes = 1024 * 1024;

/** How long to wait for what comes first, and for the end. */
const firstMs = 1000;
const quietMs = 100;
const endMs = 20_000;

/** How long a log is followed that nobody reads. */
const idleMs = 60_000;

const retryMs = 500;

/** How long a log that was complete is believed to be so: after a pause, another pod goes on. */
const recheckMs = 2000;

export function createPodLog(client: ClusterClient, name: string, source: PodLogSource): PodLog {
	let pod: string | undefined;
	let place: LinePlace | undefined;
	let isPositioned = false;
	let kept = 0;
	let marks: readonly {readonly offset: number; readonly pod: string; readonly place: LinePlace}[] = [];
	let bytes = Buffer.alloc(0);
	let end = 0;
	let taken = 0;
	let isFull = false;
	let isDone = false;
	let isDraining = false;
	let hasLog = false;
	/** Whether what the pod had written when it was asked has arrived. */
	let isCurrent = false;
	let readMs = performance.now();
	let lookedMs = 0;
	let running: Promise<void> | undefined;
	let stopping = new AbortController();
	let tell = () => {};
	let next = new Promise<void>(resolve => {
		tell = resolve;
	});
	const announce = () => {
		const told = tell;
		next = new Promise<void>(resolve => {
			tell = resolve;
		});
		told();
	};
	/** Resolves to whether it is so, within a time. */
	const until = async (isSo: () => boolean, timeoutMs: number): Promise<boolean> => {
		const endsAt = performance.now() + timeoutMs;
		const ending = new AbortController();
		while (!isSo() && performance.now() < endsAt) {
			await Promise.race([next, sleep(endsAt - performance.now(), undefined, {signal: ending.signal, ref: false})]);
		}

		ending.abort();
		return isSo();
	};
	const append = (more: Buffer) => {
		bytes = Buffer.concat([bytes, more]);
		end += more.length;
		hasLog = true;
		const start = end - bytes.length;
		const needed = isDraining ? end - aheadBytes : Math.min(taken, end) - tailBytes;
		if (needed - start > tailBytes) {
			bytes = Buffer.from(bytes.subarray(needed - start));
		}

		announce();
	};
	const isIdle = () => performance.now() - readMs > idleMs;

	/** Follows the log of the pod once, to where the cluster ends that. */
	const follow = async (uid: string, isFollowed: boolean): Promise<'read' | 'none'> => {
		const since = place && nanosecondsOf(place.time);
		const query = {
			container: containerName,
			timestamps: 'true',
			...(isFollowed && {follow: 'true'}),
			...(since !== undefined && {sinceTime: new Date(Number(since / 1_000_000_000n) * 1000).toISOString()}),
		};
		const request: ClusterRequest = {method: 'GET', resource: 'pods', name, part: 'log', query};
		const {status, reason, message, body} = await client.follow(request, AbortSignal.any([stopping.signal]));
		// 400: the container hasn’t begun.
		if (status === 404 || status === 400) {
			return 'none';
		}

		if (status !== 200) {
			throw client.refusal('read a log', request, {status, reason, message});
		}

		const reader = createLogReader(place, () => append(Buffer.from('[server] a part of the log was lost here\n')));
		const quiet = setTimeout(() => {
			isCurrent = true;
			announce();
		}, quietMs);
		try {
			for await (const part of body) {
				const fresh = reader.read(part);
				place = reader.place();
				if (fresh.length > 0) {
					append(fresh);
				}

				quiet.refresh();
				if (place && (marks.at(-1)?.offset ?? kept) + tailBytes < end) {
					marks = [...marks, {offset: end, pod: uid, place}];
				}

				if (end > maxLogBytes) {
					isFull = true;
					append(
						Buffer.from(
							`\n[server] its log is longer than ${formatMegabytes(maxLogBytes)}, so the sandbox was ended\n`,
						),
					);
					source.onFull();
					return 'read';
				}

				while (!isDraining && end - taken > aheadBytes && !isIdle() && !stopping.signal.aborted) {
					isCurrent = true;
					await Promise.race([next, sleep(idleMs, undefined, {ref: false})]);
				}

				if (isIdle()) {
					stopping.abort();
				}
			}
		} finally {
			clearTimeout(quiet);
		}

		return 'read';
	};
	const run = async (): Promise<void> => {
		while (!stopping.signal.aborted && !isFull) {
			if (!isPositioned) {
				const position = await source.findPosition();
				if (position && end === 0) {
					({offset: end, pod, place} = position);
					kept = end;
					hasLog = true;
				}

				isPositioned = true;
			}

			const found = await source.findPod();
			lookedMs = performance.now();
			if (!found) {
				isDone = true;
				return;
			}

			isDone &&= found.hasEnded && found.uid === pod;

			if (found.uid !== pod) {
				// Another pod has another log, which follows in the whole one.
				place = undefined;
				pod = found.uid;
			}

			// Only what is asked for after the end of the pod is surely all.
			const result = await follow(found.uid, !found.hasEnded);
			isCurrent = true;
			if (found.hasEnded) {
				isDone = true;
				return;
			}

			announce();
			await sleep(result === 'none' ? retryMs : quietMs, undefined, {signal: stopping.signal, ref: false});
			if (isIdle()) {
				return;
			}
		}
	};
	let fault: unknown;
	const begin = () => {
		if (running || isFull) {
			return;
		}

		stopping = new AbortController();
		isCurrent = false;
		fault = undefined;
		running = run()
			.catch(error => {
				fault = stopping.signal.aborted ? undefined : error;
			})
			.finally(() => {
				running = undefined;
				announce();
			});
	};
	const keep = async (position: LogPosition) => {
		kept = position.offset;
		marks = marks.filter(({offset}) => offset > kept);
		await source.keepPosition(position);
	};

	return {
		async read({after, hasEnded = false}) {
			readMs = performance.now();
			if (after !== undefined) {
				taken = Math.max(taken, after);
				announce();
			}

			if (hasEnded && !isDone && isCurrent && (after ?? 0) >= end) {
				isCurrent = false;
			}

			if (!isDone || hasEnded || performance.now() - lookedMs > recheckMs) {
				isDone &&= !hasEnded;
				begin();
			}

			const isNew = () => after !== undefined && end > after;
			const isAnswered = () => isNew() || isDone || fault !== undefined || isFull || (!hasEnded && isCurrent);
			await until(isAnswered, hasEnded ? endMs : firstMs);
			if (fault !== undefined) {
				throw fault;
			}

			if (hasEnded && !isDone && !isNew() && !isFull) {
				throw new AppError('network', `Kubernetes at ${client.address} doesn’t end the log of a sandbox.`);
			}

			const mark = marks.findLast(({offset}) => offset <= taken);
			if (mark && mark.offset - kept > keptEveryBytes) {
				// Without it, another server may lose its place: no reason to read nothing.
				await keep(mark).catch(() => undefined);
			}

			if (after !== undefined && after > end && !isDone) {
				// It was read by another server, and not yet by this one.
				return {text: '', start: after, offset: after};
			}

			const notes = isDone || isFull ? await source.findNotes() : '';
			if (!hasLog && notes === '') {
				return undefined;
			}

			const whole = notes === '' ? bytes : Buffer.concat([bytes, Buffer.from(notes)]);
			const start = end - bytes.length;
			const read = async (from: number, to: number) => whole.subarray(from - start, to - start);
			return await windowOf({start, end: start + whole.length}, read, after);
		},
		async finish() {
			readMs = performance.now();
			isDraining = true;
			begin();
			await until(() => isDone || fault !== undefined || isFull, endMs);
			isDraining = false;
			if (pod !== undefined) {
				await keep({offset: end, pod, ...(place && {place})});
			}
		},
		isIdle,
		close() {
			stopping.abort();
			announce();
		},
	};
}
