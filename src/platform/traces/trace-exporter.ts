import {originalOf} from '../../contract/lenient.ts';
import {AppError} from '../../core/error.ts';
import {once} from '../../core/once.ts';
import {originOf} from '../../core/origin.ts';
import type {Span, SpanSource} from '../../core/otlp.ts';
import type {Secret} from '../../core/secrets/secret.ts';
import {secret} from '../../core/secrets/secret.ts';
import type {Recorded} from '../../core/session/event.ts';
import type {PriceOf} from '../../core/session/usage.ts';
import {type Credential, headersCredential} from '../../net/credential.ts';
import type {Transport} from '../../net/transport.ts';
import type {QueueState, SendSpans} from '../../telemetry/span-queue.ts';
import type {PlatformSession} from '../platform-session.ts';
import type {TraceTarget} from './trace-target.ts';

/** What exporters need of the program. */
export type ExporterDependencies = {
	readonly version: string;
	/** Opens the server of a profile. */
	readonly openServer: (profile: string) => Promise<PlatformSession>;
	readonly createTransport: (credential: Credential | undefined) => Promise<Transport>;
	readonly loadPrices: () => Promise<PriceOf>;
	readonly secrets: {readonly hide: (text: string) => string; readonly add: (held: Secret) => void};
};

/** Where an exporter sends traces. */
export type ExporterOptions = {
	readonly target: TraceTarget;
	/** The profile of the server. */
	readonly profile: string;
	readonly onFault: (state: QueueState) => void;
};

/** Loads what makes spans of records, and a queue that sends them to the target. */
export async function loadExporter({target, profile, onFault}: ExporterOptions, dependencies: ExporterDependencies) {
	const {version, secrets, loadPrices} = dependencies;
	const [{createRunSpans}, {encodeSpan}, {createSpanQueue}, priceOf] = await Promise.all([
		import('../../telemetry/run-spans.ts'),
		import('../../core/otlp.ts'),
		import('../../telemetry/span-queue.ts'),
		loadPrices(),
	]);
	const read = createRunSpans({version, hasContent: target.level === 'content', hide: secrets.hide, priceOf});
	const send = target.endpoint ? toEndpoint(target.endpoint, dependencies) : toServer(profile, dependencies);
	const queue = createSpanQueue({send, onFault});
	return {
		queue,
		follow(record: Recorded) {
			const spans = read(record);
			if (spans.length > 0) {
				queue.push(spans.map(encodeSpan));
			}
		},
	};
}

/** Returns what sends spans to an endpoint of the environment, with its headers. */
function toEndpoint(
	{url, headers}: NonNullable<TraceTarget['endpoint']>,
	{createTransport, secrets, version}: ExporterDependencies,
): SendSpans {
	const open = once(async () => {
		for (const value of Object.values(headers)) {
			secrets.add(secret(value));
		}

		const {sendTo} = await import('../../telemetry/export-request.ts');
		const transport = await createTransport(headersCredential(originOf(url), headers));
		return sendTo({url, transport, source: sourceOf(version)});
	});
	return async (spans, signal) => (await open())(spans, signal);
}

/** Returns what sends spans to the server of a profile, with its login. */
function toServer(profile: string, {openServer, version}: ExporterDependencies): SendSpans {
	const open = once(async () => {
		const [session, {exportBody}, {sentOf}] = await Promise.all([
			openServer(profile),
			import('../../core/otlp.ts'),
			import('../../telemetry/export-request.ts'),
		]);
		const {org} = await session.scope('org');
		// The server has a default for both.
		const workspace = await session.scope('workspace').then(({workspace}) => workspace, withoutScope);
		const project = await session.project().catch(withoutScope);
		const source = sourceOf(version, {'service.workspace': workspace, 'service.project': project});
		return {session, org, sentOf, bodyOf: (spans: readonly string[]) => exportBody(spans, source)};
	});
	return async (spans, signal) => {
		const {session, org, sentOf, bodyOf} = await open();
		const call = {params: {org}, body: bodyOf(spans), contentType: 'application/json'} as const;
		return sentOf(originalOf(await session.client.pushTraces(call, signal)), spans.length);
	};
}

function withoutScope(error: unknown): undefined {
	if (!(error instanceof AppError) || error.code !== 'usage') {
		throw error;
	}
}

function sourceOf(version: string, place: Span['attributes'] = {}): SpanSource {
	return {
		resource: {'service.name': 'service', 'service.version': version, ...place},
		scope: {name: 'service', version},
	};
}
