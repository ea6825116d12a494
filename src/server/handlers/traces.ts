import {ingest} from '../ingest/ingest.ts';
import {decodeTraces, encodingOf} from '../ingest/otlp/decode.ts';
import {exportResponse} from '../ingest/otlp/export-response.ts';
import type {Handlers} from './handler.ts';

export const traceHandlers = {
	/** Answers as OTLP/HTTP says, in the encoding of the request. Spans that are not valid are counted, the others kept. */
	async pushTraces({body, contentType, contentEncoding}, {principal, scope, services}) {
		const bytes = typeof body === 'string' ? Buffer.from(body) : body;
		const {spans, rejected} = await decodeTraces(bytes, {contentType, contentEncoding});
		const {database, storageLimit} = services;
		const sender = {organizationId: scope.organization.id, userId: principal.userId, now: services.now(), storageLimit};
		const refused = spans.length > 0 ? await ingest(database, sender, spans) : [];
		return exportResponse(encodingOf(contentType), [...rejected, ...refused]);
	},
} satisfies Partial<Handlers>;
