import {expect, test} from 'vitest';
import {otlpEndpoint} from '../../src/telemetry/otlp-environment.ts';

test.each([
	[{OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318'}, 'http://127.0.0.1:4318/v1/traces'],
	[{OTEL_EXPORTER_OTLP_ENDPOINT: 'https://o.test/otlp/'}, 'https://o.test/otlp/v1/traces'],
	[{OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://o.test/in?x=1'}, 'https://o.test/in?x=1'],
	[
		{OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a.test', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://b.test/t'},
		'https://b.test/t',
	],
])('%j posts to %s', (env, url) => {
	expect(otlpEndpoint(env)).toEqual({url, headers: {}});
});

test('without an address there is no endpoint, whatever else is set', () => {
	expect(otlpEndpoint({OTEL_EXPORTER_OTLP_HEADERS: 'a=b', OTEL_EXPORTER_OTLP_ENDPOINT: ' '})).toBeUndefined();
});

test('headers are percent-decoded, and those for traces win', () => {
	const env = {
		OTEL_EXPORTER_OTLP_ENDPOINT: 'https://o.test',
		OTEL_EXPORTER_OTLP_HEADERS: 'x-team=one',
		OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Authorization=Basic%20YWJj, x-team = two ,',
	};
	expect(otlpEndpoint(env)?.headers).toEqual({authorization: 'Basic YWJj', 'x-team': 'two'});
});

test.each([
	['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://o.test'],
	['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:secret-1@o.test'],
	['OTEL_EXPORTER_OTLP_HEADERS', 'secret-1'],
	['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret-1%0d%0ab: c'],
	['OTEL_EXPORTER_OTLP_HEADERS', 'a b=secret-1'],
	['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zzsecret-1'],
	['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
])('%s=%s is refused without repeating a credential [8]', (name, value) => {
	const read = () => otlpEndpoint({OTEL_EXPORTER_OTLP_ENDPOINT: 'https://o.test', [name]: value});
	expect(read).toThrowError(expect.objectContaining({code: 'usage'}));
	expect(read).not.toThrowError(/secret-1/);
});
