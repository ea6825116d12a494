import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {facts} from '../src/command/render/facts.ts';
import type {Result} from '../src/command/result.ts';
import {fileNameOf, readArtifact} from '../src/command/views/artifact-download.ts';
import {partOf, readTraceFiles, traceFormats} from '../src/command/views/trace-push.ts';
import {type Lenient, originalOf} from '../src/contract/lenient.ts';
import type {Artifact} from '../src/contract/resources/artifact.ts';
import {AppError, reportError} from '../src/core/error.ts';
import {formatBytes} from '../src/core/format.ts';
import type {Json} from '../src/core/json.ts';

const formats = traceFormats.join(' or ');

const push = command({
	name: 'push',
	summary: 'Send files of OpenTelemetry spans to the organization',
	args: z.object({
		file: z.array(z.string()),
		format: z.optional(z.enum(traceFormats, `must be ${formats}`)),
		gzip: z.optional(z.boolean()),
	}),
	positional: ['file'],
	rest: true,
	describe: {
		file: 'OTLP, one request per file; - for stdin',
		format: `${formats}; detected from the file name by default`,
		gzip: 'compress the request',
	},
	examples: ['trace push spans.json', 'trace push --gzip a.pb b.pb', 'trace push - --format json < spans.json'],

	async run({file, format, gzip = false}, {platform, readFile, signal}) {
		const {client, scope} = await platform.open();
		const params = await scope('org');
		const files = await readTraceFiles(file, {read: readFile, format, gzip});
		const sent: {file: string; bytes: number; answer: Json}[] = [];
		const parts: (NonNullable<ReturnType<typeof partOf>> & {file: string})[] = [];
		for (const {name, bytes, spans, ...content} of files) {
			try {
				const answer = originalOf(await client.pushTraces({params, ...content}, signal));
				const part = partOf(answer, spans);
				sent.push({file: name, bytes, answer});
				parts.push(...(part ? [{file: name, ...part}] : []));
			} catch (error) {
				throw sent.length > 0 ? afterSome(error, sent.length, files.length) : error;
			}
		}

		const total = formatBytes(files.reduce((sum, {bytes}) => sum + bytes, 0));
		const rejected = parts.map(part => `${part.file}: ${part.words}`);
		if (parts.some(({isNothing}) => isNothing)) {
			const accepted = files.length - parts.filter(({isNothing}) => isNothing).length;
			throw new AppError('failed', rejected.join(' '), {
				hint:
					accepted > 0
						? `${accepted} of ${files.length} files were sent. Fix the others and send only them.`
						: 'Fix the spans and send the file again.',
			});
		}

		const text = `Sent ${files.length === 1 ? files[0]?.name : `${files.length} files`}, ${total}.`;
		return {kind: 'text', text: [text, ...rejected].join('\n'), data: sent};
	},
});

/** A file that fails after others went out: who sends them all again would send those twice. */
function afterSome(error: unknown, sent: number, all: number): unknown {
	if (!(error instanceof AppError)) {
		return error;
	}

	const {code, message, hint} = reportError(error);
	const said = `${message} The first ${sent} of ${all} files were sent.`;
	return new AppError(code, said, {...(hint && {hint}), cause: error});
}

const artifact = command({
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

	async run({trace, oid, file, download = false}, {platform, interact, saveFile, signal}) {
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

/** Shows where an artifact is. Throws `network` where the server said nothing of it. */
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
		throw new AppError('network', 'The server found the artifact, but said nothing of it.', {
			hint: 'Check the URL, or update service: the server may have another version.',
			permanent: true,
		});
	}

	return {kind: 'record', fields, data: originalOf(found)};
}

export default noun({name: 'trace', summary: 'Traces and their artifacts', verbs: [push, artifact]});
