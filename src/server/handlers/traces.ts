import {ingest} from '../ingest/ingest.ts';
import {decodeTraces, encodingOf} from '../ingest/otlp/decode.ts';
import {exportResponse} from '../ingest/otlp/export-response.ts';
import type {Handlers} from './handler.ts';

export const traceHandlers = {
	/**
	 * Responds as OTLP/HTTP requires, in the encoding of the request. Invalid spans are counted; the others are stored.
	 */
	async pushTraces({body, contentType, contentEncoding}, {principal, scope, services}) {
		const bytes = typeof body === 'string' ? Buffer.from(body) : body;
		const {spans, rejected, warning} = await decodeTraces(bytes, {contentType, contentEncoding});
		const {database, storageLimit} = services;
		const sender = {organizationId: scope.organization.id, userId: principal.userId, now: services.now(), storageLimit};
		const refused = spans.length > 0 ? await ingest(database, sender, spans) : [];
		return exportResponse(encodingOf(contentType), [...rejected, ...refused], warning);
	},
} satisfies Partial<Handlers>;
