import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {facts} from '../../src/command/render/facts.ts';
import type {Result} from '../../src/command/result.ts';
import {type Lenient, originalOf} from '../../src/contract/lenient.ts';
import type {Artifact} from '../../src/contract/resources/artifact.ts';
import {AppError} from '../../src/core/error.ts';
import {formatBytes} from '../../src/core/format.ts';

export default command({
	name: 'artifact',
	summary: 'Show where an artifact of a trace is, or save it',
	args: z.object({
		trace: z.string(),
		oid: z.string(),
		file: z.optional(z.string()),
		download: z.optional(z.boolean()),
	}),
	positional: ['trace', 'oid', 'file'],
	completes: {trace: 'trace'},
	describe: {
		trace: 'id of the trace',
		oid: 'oid of the artifact, as the trace names it',
		file: 'a new file to save it in, with --download; its own name otherwise',
		download: 'save it',
	},
	examples: ['trace artifact 4bf92f3577b34da6 a1b2', 'trace artifact 4bf92f3577b34da6 a1b2 --download cat.png'],
	whileRunning: true,

	async run(
		{trace, oid, file, download = false},
		{
			program: {
				servers: {platform},
				files: {save: saveFile},
			},
			ui: {interact},
			signal,
		},
	) {
		const {fileNameOf, readArtifact} = await import('../../src/command/views/artifact-download.ts');
		if (file !== undefined && !download) {
			throw new AppError('usage', 'A file name needs --download.', {hint: 'Add --download to save it.'});
		}

		const {client, scope} = await platform.open();
		const params = {...(await scope('org', 'workspace')), traceId: trace, oid};
		const found = await client.resolveTraceArtifact({params, ...(download && {query: {download}})}, signal);
		if (!download) {
			return artifactResult(found);
		}

		const {progress} = interact;
		const bytes = await readArtifact(found, {transport: await platform.anonymous(), signal, progress});
		const path = await saveFile(file ?? fileNameOf(found), bytes);
		return {kind: 'text', text: `Saved ${path}.`, data: {path, artifact: originalOf(found)}};
	},
});

/** Returns where an artifact is. Throws AppError("network") if the server's answer is empty. */
function artifactResult(found: Lenient<Artifact>): Result {
	const fields = facts([
		['oid', found.oid],
		['file', found.filename],
		['type', found.mime_type],
		['size', typeof found.size_bytes === 'number' ? formatBytes(found.size_bytes) : undefined],
		['expires', found.expires_at],
		['url', found.url],
	]);
	if (fields.length === 0) {
		throw new AppError('network', 'The server returned no details of the artifact.', {
			hint: 'Check the URL, or update service: the server may be a newer version.',
			permanent: true,
		});
	}

	return {kind: 'record', fields, data: originalOf(found)};
}
