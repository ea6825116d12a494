import fc from 'fast-check';
import {expect, onTestFinished, test} from 'vitest';
import {initialize} from '../../../src/server/accounts/initialize.ts';
import {factsOf} from '../../../src/server/http/request-record.ts';
import {createCounters} from '../../../src/server/kit/counters.ts';
import {createMetrics} from '../../../src/server/metrics/metrics.ts';
import {parseMetricsAddress, serveMetrics} from '../../../src/server/metrics/serve-metrics.ts';
import {startServer} from '../../../src/server/run/start.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {emptyPlace} from '../database/engine.ts';
import {createTestServer, origin} from '../harness.ts';
import {toRequest} from '../ingest/push.ts';
import {parseExposition} from './exposition.ts';

const loopback = {host: '127.0.0.1', port: 0, isEverywhere: false};

test('a scrape tells requests by route, connections, sandboxes, spans and bytes, and is valid', async () => {
	const location = await emptyPlace();
	const server = await startServer({location, folder: temporaryFolder(), environment: {}, metrics: loopback});
	onTestFinished(() => server.close());
	const {apiKey} = await initialize(server.services, {
		organization: 'acme',
		workspace: 'main',
		project: 'web',
		email: 'ada@acme.example',
	});
	const headers = {authorization: `Bearer ${apiKey.reveal()}`, 'content-type': 'application/json'};
	const body = JSON.stringify(
		toRequest([
			{id: '1', attributes: {}},
			{id: '2', attributes: {}},
		]),
	);
	const pushed = await fetch(`${server.url}/api/v1/org/acme/otel/traces`, {method: 'POST', headers, body});
	expect(pushed.status).toBe(200);
	await fetch(`${server.url}/nothing`, {headers});
	const scrape = async () => {
		const response = await fetch(server.metricsUrl ?? '');
		expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
		return parseExposition(await response.text());
	};
	const sampleOf = async (name: string, labels: Record<string, string> = {}) => {
		const samples = [...(await scrape()).values()].flatMap(family => family.samples);
		return samples.find(
			sample => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
		)?.value;
	};
	const route = '/api/v1/org/:org/otel/traces';
	const count = 'service_http_request_duration_seconds_count';
	await expect.poll(() => sampleOf(count, {route, method: 'POST', status: '2xx'})).toBe(1);
	expect(await sampleOf(count, {route: 'none', method: 'GET', status: '4xx'})).toBe(1);
	expect(await sampleOf('service_spans_ingested_total')).toBe(2);
	expect(await sampleOf('service_span_bytes_ingested_total')).toBe(body.length);
	expect(await sampleOf('service_sandboxes', {state: 'running'})).toBe(0);
	expect(await sampleOf('service_database_up')).toBe(1);
	expect((await sampleOf('service_http_bytes_in_total')) ?? 0).toBeGreaterThan(body.length);
	expect(await sampleOf('service_database_connections', {state: 'waiting'})).toBe(
		location.engine === 'postgres' ? 0 : undefined,
	);
	expect(await sampleOf('process_resident_memory_bytes')).toBeGreaterThan(1e6);
	expect((await fetch(new URL('/', server.metricsUrl))).status).toBe(404);
	expect((await fetch(server.metricsUrl ?? '', {method: 'POST'})).status).toBe(405);
	expect((await fetch(`${server.url}/metrics`, {headers})).status).toBe(404);
});

test('10,000 random paths and methods add no series', async () => {
	const server = await createTestServer();
	const counters = createCounters();
	const metrics = createMetrics({database: server.database, now: server.services.now, counters, pool: undefined});
	const seriesOf = async () =>
		[...parseExposition(await metrics.text()).values()]
			.flatMap(({samples}) => samples)
			.filter(({name}) => name.startsWith('service_http'))
			.map(({name, labels}) => JSON.stringify([name, labels]));
	const ask = async (path: string, method: string) => {
		const request = new Request(`${origin}${path}`, {method, headers: {host: new URL(origin).host}});
		const response = await server.app(request);
		metrics.count({
			...factsOf(response),
			id: '1',
			method,
			path,
			address: '127.0.0.1',
			forwardedFor: undefined,
			durationMs: 1,
			bytesIn: 1,
			bytesOut: 1,
			isWhole: true,
			status: response.status,
		});
	};
	// What a stranger can cause: no route, and `/`, which `/x/..` is, for each method that is counted by name, and for another one.
	for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'BREW']) {
		await ask('/nothing', method);
		await ask('/', method);
	}

	const before = new Set(await seriesOf());
	const path = fc.oneof(fc.webPath(), fc.stringMatching(/^\/[\w./?=&-]{0,30}$/)).map(text => `/x${text}`);
	const method = fc.oneof(
		fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'),
		fc.stringMatching(/^[A-Z]{1,12}$/).filter(word => !['CONNECT', 'TRACE', 'TRACK'].includes(word)),
	);
	await fc.assert(fc.asyncProperty(path, method, ask), {numRuns: 10_000});
	expect((await seriesOf()).filter(series => !before.has(series))).toEqual([]);
});

test('a scrape without a database is valid and says so', async () => {
	const server = await createTestServer();
	const counters = createCounters();
	const metrics = createMetrics({database: server.database, now: server.services.now, counters, pool: undefined});
	const {url, close} = await serveMetrics(metrics, loopback);
	onTestFinished(close);
	await server.database.destroy();
	const families = parseExposition(await (await fetch(url)).text());
	expect(families.get('service_database_up')?.samples).toMatchObject([{value: 0}]);
	expect(families.get('service_sandboxes')?.samples).toEqual([]);
});

test.each([
	['8.8.8.8:9464', 'is a public address'],
	['[2606:4700::1111]:9464', 'is a public address'],
	['169.254.169.254:80', 'is a public address'],
	['9464', 'takes host:port'],
	['127.0.0.1', 'takes host:port'],
	['127.0.0.1:99999', 'takes host:port'],
	['http://127.0.0.1:9464', 'takes host:port'],
	['nowhere.invalid:9464', 'unknown host'],
])('metrics are refused at %s', async (address, reason) => {
	await expect(parseMetricsAddress(address)).rejects.toMatchObject({
		code: 'usage',
		message: expect.stringContaining(reason),
	});
});

test.each([
	['127.0.0.1:9464', false],
	['[::1]:9464', false],
	['localhost:9464', false],
	['10.2.3.4:9464', false],
	['[fd12::1]:9464', false],
	['0.0.0.0:9464', true],
	['[::]:9464', true],
])('metrics may be at %s', async (address, isEverywhere) => {
	expect(await parseMetricsAddress(address)).toMatchObject({port: 9464, isEverywhere});
});
