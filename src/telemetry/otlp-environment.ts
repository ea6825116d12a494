import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {parseServerUrl} from '../core/origin.ts';

/** An endpoint that the environment names, as OpenTelemetry's own variables do. */
export type OtlpEndpoint = {
	/** The URL that spans are posted to. */
	readonly url: string;
	/** May hold credentials. */
	readonly headers: Readonly<Record<string, string>>;
};

/**
 * Returns the endpoint for traces that the environment names; undefined without one. The variables are those of
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/, of which one for traces wins over the general one. Throws
 * AppError("usage") for an invalid address, headers, or gRPC, which this program does not speak.
 */
export function otlpEndpoint(env: Environment): OtlpEndpoint | undefined {
	const read = (name: string) =>
		env[`OTEL_EXPORTER_OTLP_TRACES_${name}`]?.trim() || env[`OTEL_EXPORTER_OTLP_${name}`]?.trim();
	const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']?.trim();
	const general = env['OTEL_EXPORTER_OTLP_ENDPOINT']?.trim();
	const address = own || general;
	if (!address) {
		return undefined;
	}

	if (read('PROTOCOL') === 'grpc') {
		throw new AppError('usage', 'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but traces are sent over HTTP.', {
			hint: 'Set it to http/json, and OTEL_EXPORTER_OTLP_ENDPOINT to the HTTP port (usually 4318).',
		});
	}

	const url = parseServerUrl(address);
	// Only the general address is completed, by the specification.
	if (!own) {
		url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
	}

	return {url: url.href, headers: parseHeaders(read('HEADERS') ?? '')};
}

/** Reads `name=value` pairs with commas between them; values are percent-encoded. Never quotes one: it may be a key. */
function parseHeaders(text: string): Readonly<Record<string, string>> {
	const pairs = text.split(',').filter(pair => pair.trim());
	return Object.fromEntries(
		pairs.map(pair => {
			const [, name = '', value = ''] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
			const decoded = decode(value);
			if (!name || decoded === undefined || !/^[\t\x20-\x7e]+$/.test(decoded)) {
				throw new AppError('usage', 'OTEL_EXPORTER_OTLP_HEADERS is invalid.', {
					hint: 'Write it as name=value,name=value, with special characters percent-encoded.',
				});
			}

			return [name.toLowerCase(), decoded];
		}),
	);
}

function decode(value: string): string | undefined {
	try {
		return decodeURIComponent(value);
	} catch {
		return undefined;
	}
}
