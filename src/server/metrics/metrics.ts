import {Counter, collectDefaultMetrics, Gauge, Histogram, Registry} from 'prom-client';
import type {PoolCounts} from '../database/postgres.ts';
import type {Database} from '../database/tables.ts';
import type {RequestRecord} from '../http/request-record.ts';
import type {Counters} from '../kit/counters.ts';

/** What the metrics of a server read when they are asked for. */
type Source = {
	readonly database: Database;
	readonly now: () => Date;
	readonly counters: Counters;
	/** The connections to the database; undefined for SQLite, which has one. */
	readonly pool: (() => PoolCounts) | undefined;
};

export type Metrics = {
	/** Counts a request. */
	readonly count: (record: RequestRecord) => void;
	/** Returns everything in the text format of Prometheus. A database that doesn't answer leaves out what it knows. */
	readonly text: () => Promise<string>;
};

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** From a row of a cached statement to the longest request of the engine. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The methods of routes; a client may send any other word. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** How long the database may take; Prometheus waits for ten seconds by default. */
const answerTimeoutMs = 2000;

/** Creates the metrics of a server. Labels are patterns of routes, known methods, classes of status and states: a client can't add one. */
export function createMetrics({database, now, counters, pool}: Source): Metrics {
	const registry = new Registry();
	const registers = [registry];
	collectDefaultMetrics({register: registry});
	const duration = new Histogram({
		name: 'service_http_request_duration_seconds',
		help: 'Time from a request to the end of its answer, by route pattern, method and class of status.',
		labelNames: ['route', 'method', 'status'] as const,
		buckets,
		registers,
	});
	const refused = new Counter({
		name: 'service_http_requests_refused_total',
		help: 'Requests that were too many (429).',
		registers,
	});
	const [bytesIn, bytesOut] = (['in', 'out'] as const).map(
		way =>
			new Counter({
				name: `service_http_bytes_${way}_total`,
				help: `Bytes of connections ${way === 'in' ? 'from' : 'to'} clients, with headers.`,
				registers,
			}),
	);
	for (const [name, help, read] of [
		['service_spans_ingested_total', 'Spans accepted.', () => counters.spans],
		['service_span_bytes_ingested_total', 'Bytes of requests with spans.', () => counters.spanBytes],
		['service_artifact_bytes_ingested_total', 'Bytes of artifacts stored.', () => counters.artifactBytes],
	] as const) {
		new Counter({
			name,
			help,
			registers,
			collect() {
				this.reset();
				this.inc(read());
			},
		});
	}

	if (pool) {
		new Gauge({
			name: 'service_database_connections',
			help: 'Connections to PostgreSQL, and requests that wait for one.',
			labelNames: ['state'],
			registers,
			collect() {
				const {total, idle, waiting} = pool();
				this.set({state: 'used'}, total - idle);
				this.set({state: 'idle'}, idle);
				this.set({state: 'waiting'}, waiting);
			},
		});
	}

	const sandboxes = new Gauge({
		name: 'service_sandboxes',
		help: 'Sandboxes of all servers on the database that have not ended, by state.',
		labelNames: ['state'],
		registers,
	});
	const collectors = new Gauge({
		name: 'service_log_collectors',
		help: 'Servers that collect logs of sandboxes of an engine.',
		registers,
	});
	const up = new Gauge({
		name: 'service_database_up',
		help: '1 if the database answered when the metrics were asked for.',
		registers,
	});
	const askDatabase = async () => {
		const [states, live] = await Promise.all([
			database
				.selectFrom('sandboxes')
				.select(({fn}) => ['state', fn.countAll<number>().as('count')])
				.where('state', 'in', ['running', 'paused'])
				.groupBy('state')
				.execute(),
			database
				.selectFrom('log_collectors')
				.select(({fn}) => fn.countAll<number>().as('count'))
				.where('held_until', '>', now().toISOString())
				.executeTakeFirstOrThrow(),
		]);
		for (const state of ['running', 'paused'] as const) {
			sandboxes.set({state}, Number(states.find(row => row.state === state)?.count ?? 0));
		}

		collectors.set(Number(live.count));
	};
	return {
		count({route = 'none', method, status, durationMs, ...bytes}) {
			const labels = {
				route,
				method: methods.has(method) ? method : 'other',
				status: status === undefined ? 'none' : `${Math.floor(status / 100)}xx`,
			};
			duration.observe(labels, durationMs / 1000);
			bytesIn?.inc(Math.max(0, bytes.bytesIn));
			bytesOut?.inc(Math.max(0, bytes.bytesOut));
			if (status === 429) {
				refused.inc();
			}
		},
		async text() {
			let timer: NodeJS.Timeout | undefined;
			const timeout = new Promise<never>((_, rejectWith) => {
				timer = setTimeout(() => rejectWith(new Error('The database does not answer.')), answerTimeoutMs);
			});
			try {
				await Promise.race([askDatabase(), timeout]);
				up.set(1);
			} catch {
				// What it knew before is no longer true.
				sandboxes.reset();
				collectors.reset();
				up.set(0);
			} finally {
				clearTimeout(timer);
			}

			return await registry.metrics();
		},
	};
}
