import type {Secret} from '../../core/secrets/secret.ts';
import type {App} from '../kit/route.ts';
import {refundTranscript} from './artifacts.ts';
import {assessmentSpans} from './assessments.ts';
import {sessionSpans} from './sessions.ts';
import {exportDemo} from './span.ts';
import {workSpans} from './work.ts';

type Options = {
	/** The slug of the organization to load the demo into. */
	readonly org: string;
	readonly workspace: string;
	/** The server's URL, whose host every request names. */
	readonly server: string;
	readonly key: Secret;
	readonly now: Date;
};

/**
 * Loads the demo like any program that sends traces: through the public API, with a key. Loading it again only changes
 * times.
 */
export async function loadDemo(app: App, {org, workspace, server, key, now}: Options): Promise<void> {
	const send = async (method: string, path: string, body: string) => {
		const {host, origin} = new URL(server);
		const headers = {host, authorization: `Bearer ${key.reveal()}`, 'content-type': 'application/json'};
		const response = await app(new Request(`${origin}/api/v1/org/${org}${path}`, {method, headers, body}));
		const answer = await response.text();
		if (!response.ok || answer.includes('rejectedSpans')) {
			throw new Error(`The demo could not be loaded: ${response.status} ${answer}`);
		}
	};

	const spans = [...sessionSpans, ...assessmentSpans, ...workSpans];
	await send('POST', '/otel/traces', exportDemo(spans, now));
	await send('PUT', `/ws/${workspace}/artifacts/${refundTranscript.oid}`, refundTranscript.text);
}
