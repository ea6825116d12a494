import {objectName} from '../artifacts/object-name.ts';
import {fileNameOf, mimeTypeOf, presentationOf} from '../artifacts/presentation.ts';
import {rejectNotFound} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';

/** How long a URL is valid. */
const lifetimeMs = 15 * 60 * 1000;

export const artifactHandlers = {
	/** The same 404 for everything that can't be resolved, so that it reveals neither stored bytes nor other traces. */
	async resolveTraceArtifact({params: {traceId, oid}, query: {download}}, {scope: {workspace}, services}) {
		const {database, artifacts, now} = services;
		const artifact = await database
			.selectFrom('artifacts')
			.select(['filename', 'mime_type'])
			.where('workspace_id', '=', workspace.id)
			.where('trace_id', '=', traceId.toLowerCase())
			.where('oid', '=', oid)
			.executeTakeFirst();
		const name = objectName(workspace.id, oid);
		const size = artifact && (await artifacts.blobs.size(name));
		if (!artifact || size === undefined) {
			rejectNotFound();
		}

		// URLs have times in whole seconds.
		const expiresAt = new Date(Math.floor((now().getTime() + lifetimeMs) / 1000) * 1000);
		const mimeType = mimeTypeOf(artifact.mime_type);
		const filename = fileNameOf(artifact.filename);
		return {
			expires_at: expiresAt.toISOString(),
			filename,
			mime_type: mimeType,
			oid,
			size_bytes: size,
			url: await artifacts.presign(name, {...presentationOf({mimeType, filename, download}), expiresAt}),
		};
	},
} satisfies Partial<Handlers>;
