import type {Secret} from '../../core/secret.ts';
import type {App} from '../app.ts';
import {assessmentSpans} from './assessments.ts';
import {sessionSpans} from './sessions.ts';
import {toOtlp} from './span.ts';
import {workSpans} from './work.ts';

type Options = {
	/** Of the organization that the demonstration is loaded into. */
	readonly org: string;
	readonly key: Secret;
	readonly now: Date;
};

/**
 * Loads the demonstration the way every program sends traces: through the public operations of the server, with a key. The
 * same again changes nothing but times.
 */
export async function loadDemo(app: App, {org, key, now}: Options): Promise<void> {
	const spans = [...sessionSpans, ...assessmentSpans, ...workSpans];
	const response = await app(
		new Request(`http://127.0.0.1/api/v1/org/${org}/otel/traces`, {
			method: 'POST',
			headers: {host: '127.0.0.1', authorization: `Bearer ${key.reveal()}`, 'content-type': 'application/json'},
			body: JSON.stringify(toOtlp(spans, now)),
		}),
	);
	const answer = await response.text();
	if (!response.ok || answer.includes('rejectedSpans')) {
		throw new Error(`The demonstration was not taken: ${response.status} ${answer}`);
	}
}
