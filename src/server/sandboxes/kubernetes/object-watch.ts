import {setTimeout as sleep} from 'node:timers/promises';
import * as z from 'zod/mini';
import {AppError} from '../../../core/error.ts';
import {parseJson} from '../../../core/json.ts';
import type {ClusterClient, ClusterRequest, ResourceName} from './cluster-client.ts';
import type {ClusterObject} from './cluster-objects.ts';
import {listObjects} from './object-list.ts';
import {selector} from './object-names.ts';

/** The objects of our sandboxes as the cluster has told them, so that looking at one costs it nothing. */
export type ObjectWatch<Item> = {
	/** Returns an object; undefined if it isn't known, or the cluster has been silent. Begins to watch. */
	readonly known: (name: string) => Item | undefined;
	/** Resolves at the next change of any object, or of what is known of the cluster. */
	readonly changed: () => Promise<void>;
	/** Forgets an object that the cluster says is gone. */
	readonly forget: (name: string, uid: string | undefined) => void;
	readonly close: () => Promise<void>;
};

type Options<Item extends ClusterObject> = {
	readonly client: ClusterClient;
	readonly resource: ResourceName;
	readonly schema: z.ZodMiniType<Item>;
	/** How long the cluster may be silent: it sends a bookmark about once a minute. */
	readonly silenceMs?: number;
	/** How long to wait after a failure, at most: longer each time. */
	readonly maxDelayMs?: number;
};

/** How long one watch lasts, in seconds. */
const watchSeconds = 300;

const firstDelayMs = 200;

/** The longest event that is read. */
const maxEventBytes = 4 * 1024 * 1024;

const eventSchema = z.object({type: z.string(), object: z.unknown()});

/** The object of an event `ERROR`. */
const errorSchema = z.object({code: z.optional(z.int()), message: z.optional(z.string())});

const bookmarkSchema = z.object({metadata: z.object({resourceVersion: z.string()})});

/** What the watch began with is too old: the list is read again. */
class ExpiredError extends Error {}

export function watchObjects<Item extends ClusterObject>({
	client,
	resource,
	schema,
	silenceMs = 150_000,
	maxDelayMs = 30_000,
}: Options<Item>): ObjectWatch<Item> {
	let objects = new Map<string, Item>();
	let isFresh = false;
	let heardMs = 0;
	let running: Promise<void> | undefined;
	let tell = () => {};
	let next = new Promise<void>(resolve => {
		tell = resolve;
	});
	const closing = new AbortController();
	const announce = () => {
		const told = tell;
		next = new Promise<void>(resolve => {
			tell = resolve;
		});
		told();
	};
	const hear = (fresh: boolean) => {
		isFresh = fresh;
		heardMs = performance.now();
	};

	/** Stores what an event says, and returns its version. */
	const take = (line: string): string => {
		const {data: event} = eventSchema.safeParse(parseJson(line));
		if (event?.type === 'ERROR') {
			const {data} = errorSchema.safeParse(event.object);
			throw data?.code === 410 ? new ExpiredError() : new AppError('network', data?.message ?? 'the watch failed');
		}

		if (event?.type === 'BOOKMARK') {
			return bookmarkSchema.parse(event.object).metadata.resourceVersion;
		}

		const item = schema.parse(event?.object);
		const {name, resourceVersion = ''} = item.metadata;
		if (event?.type === 'DELETED') {
			objects.delete(name);
		} else {
			objects.set(name, item);
		}

		announce();
		return resourceVersion;
	};

	/** Watches from a version until the cluster ends that, and passes on each version that it has reached. */
	const watch = async (version: string, reach: (version: string) => void): Promise<void> => {
		const query = {
			labelSelector: selector,
			watch: '1',
			allowWatchBookmarks: 'true',
			resourceVersion: version,
			timeoutSeconds: String(watchSeconds),
		};
		const request: ClusterRequest = {method: 'GET', resource, query};
		const ending = new AbortController();
		const signal = AbortSignal.any([closing.signal, ending.signal]);
		let timer: NodeJS.Timeout | undefined;
		const wait = () => {
			clearTimeout(timer);
			timer = setTimeout(() => ending.abort(), silenceMs);
			timer.unref();
		};
		wait();
		try {
			const {status, reason, message, body} = await client.follow(request, signal);
			if (status === 410) {
				throw new ExpiredError();
			}

			if (status !== 200) {
				throw client.refusal(`watch ${resource}`, request, {status, reason, message});
			}

			hear(true);
			for await (const line of linesOf(body)) {
				wait();
				hear(true);
				reach(take(line));
			}
		} finally {
			clearTimeout(timer);
		}
	};

	const run = async (): Promise<void> => {
		let version: string | undefined;
		let failures = 0;
		while (!closing.signal.aborted) {
			try {
				if (version === undefined) {
					const list = await listObjects(client, resource, schema);
					objects = new Map(list.items.map(item => [item.metadata.name, item]));
					version = list.version;
					hear(true);
					announce();
				}

				await watch(version, reached => {
					version = reached;
					failures = 0;
				});
				// One that ends at once is no reason to ask as fast as possible.
				await sleep(firstDelayMs, undefined, {signal: closing.signal, ref: false}).catch(() => undefined);
			} catch (error) {
				if (error instanceof ExpiredError) {
					version = undefined;
				} else {
					isFresh = false;
					announce();
				}

				failures += 1;
				const longestMs = Math.min(maxDelayMs, firstDelayMs * 2 ** failures);
				const delayMs = longestMs * (0.5 + Math.random() / 2);
				await sleep(delayMs, undefined, {signal: closing.signal, ref: false}).catch(() => undefined);
			}
		}
	};

	return {
		known(name) {
			running ??= run();
			return isFresh && performance.now() - heardMs < silenceMs ? objects.get(name) : undefined;
		},
		changed: () => next,
		forget(name, uid) {
			if (objects.get(name)?.metadata.uid === uid) {
				objects.delete(name);
			}
		},
		async close() {
			closing.abort();
			announce();
			await running;
		},
	};
}

/** Returns the lines of a stream. Throws for one that is too long. */
async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
	const pieces: Buffer[] = [];
	let bytes = 0;
	for await (const part of stream) {
		let from = 0;
		for (let end = part.indexOf(10); end !== -1; end = part.indexOf(10, from)) {
			yield Buffer.concat([...pieces.splice(0), part.subarray(from, end)]).toString('utf8');
			bytes = 0;
			from = end + 1;
		}

		pieces.push(Buffer.from(part.subarray(from)));
		bytes += part.length - from;
		if (bytes > maxEventBytes) {
			throw new AppError('network', 'Kubernetes sent an event that is too long.');
		}
	}
}
