import type {Secret} from '../../core/secrets/secret.ts';
import type {App} from '../kit/route.ts';
import {refundTranscript} from './artifacts.ts';
import {assessmentSpans} from './assessments.ts';
import {sessionSpans} from './sessions.ts';
import {toOtlp} from './span.ts';
import {workSpans} from './work.ts';

type Options = {
	/** Of the organization that the demonstration is loaded into. */
	readonly org: string;
	readonly workspace: string;
	readonly key: Secret;
	readonly now: Date;
};

/**
 * Loads the demonstration the way every program sends traces: through the public operations of the server, with a key. The
 * same again changes nothing but times.
 */
export async function loadDemo(app: App, {org, workspace, key, now}: Options): Promise<void> {
	const send = async (method: string, path: string, body: string) => {
		const headers = {host: '127.0.0.1', authorization: `Bearer ${key.reveal()}`, 'content-type': 'application/json'};
		const response = await app(new Request(`http://127.0.0.1/api/v1/org/${org}${path}`, {method, headers, body}));
		const answer = await response.text();
		if (!response.ok || answer.includes('rejectedSpans')) {
			throw new Error(`The demonstration was not taken: ${response.status} ${answer}`);
		}
	};

	const spans = [...sessionSpans, ...assessmentSpans, ...workSpans];
	await send('POST', '/otel/traces', JSON.stringify(toOtlp(spans, now)));
	await send('PUT', `/ws/${workspace}/artifacts/${refundTranscript.oid}`, refundTranscript.text);
}
