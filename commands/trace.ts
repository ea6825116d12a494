import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {facts} from '../src/command/render/facts.ts';
import type {Result} from '../src/command/result.ts';
import type {PushedSpans} from '../src/command/views/trace-push.ts';
import {type Lenient, originalOf} from '../src/contract/lenient.ts';
import type {Artifact} from '../src/contract/resources/artifact.ts';
import {AppError, reportError} from '../src/core/error.ts';
import {formatBytes} from '../src/core/format.ts';
import type {Json} from '../src/core/json.ts';

const status = command({
	name: 'status',
	summary: 'Show where traces go, and how many were sent',
	args: z.object({}),
	whileRunning: true,

	async run(_, {program}) {
		const {traceStatus} = await import('../src/command/views/trace-status.ts');
		return traceStatus(program.servers.traces.status());
	},
});

const on = command({
	name: 'on',
	summary: 'Start sending traces of runs',
	args: z.object({content: z.optional(z.boolean())}),
	describe: {content: 'send prompts, answers, arguments and results too'},
	examples: ['trace on', 'trace on --content'],
	whileRunning: true,

	async run({content = false}, {program}) {
		const {traceStatus} = await import('../src/command/views/trace-status.ts');
		return traceStatus(await program.servers.traces.set(content ? 'content' : 'on'));
	},
});

const off = command({
	name: 'off',
	summary: 'Stop sending traces of runs',
	args: z.object({}),
	whileRunning: true,

	async run(_, {program}) {
		const {traceStatus} = await import('../src/command/views/trace-status.ts');
		return traceStatus(await program.servers.traces.set('off'));
	},
});

const traceFormats = ['json', 'protobuf'] as const;
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

	async run({file, format, gzip = false}, {program, signal}) {
		const [{client, scope}, {pushedSpans, readTraceFiles, storedWords}] = await Promise.all([
			program.servers.open(),
			import('../src/command/views/trace-push.ts'),
		]);
		const params = await scope('org');
		const files = await readTraceFiles(file, {read: program.files.read, format, gzip});
		const sent: ({file: string; bytes: number; answer: Json} & PushedSpans)[] = [];
		for (const {name, bytes, spans, ...content} of files) {
			try {
				const answer = originalOf(await client.pushTraces({params, ...content}, signal));
				sent.push({file: name, bytes, answer, ...pushedSpans(answer, spans)});
			} catch (error) {
				throw sent.length > 0 ? afterSome(error, sent.length, files.length) : error;
			}
		}

		const said = sent.flatMap(({file: name, words}) => (words === undefined ? [] : [`${name}: ${words}`]));
		const refused = sent.filter(({spans, rejected}) => rejected > 0 && rejected === spans);
		if (refused.length > 0) {
			const accepted = files.length - refused.length;
			throw new AppError('failed', said.join(' '), {
				hint:
					accepted > 0
						? `${accepted} of ${files.length} files were sent. Fix the others and send only them.`
						: 'Fix the spans and send the file again.',
			});
		}

		const total = formatBytes(files.reduce((sum, {bytes}) => sum + bytes, 0));
		const text = `Sent ${files.length === 1 ? files[0]?.name : `${files.length} files`}, ${total}${storedWords(sent)}.`;
		const data = sent.map(({words: _, spans = null, ...rest}) => ({...rest, spans}));
		return {kind: 'text', text: [text, ...said].join('\n'), data};
	},
});

/** Returns the error of a file that failed after others were sent, so that the user doesn't send those twice. */
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

	async run({trace, oid, file, download = false}, {program, ui: {interact}, signal}) {
		const {fileNameOf, readArtifact} = await import('../src/command/views/artifact-download.ts');
		if (file !== undefined && !download) {
			throw new AppError('usage', 'A file name needs --download.', {hint: 'Add --download to save it.'});
		}

		const {client, scope} = await program.servers.open();
		const params = {...(await scope('org', 'workspace')), traceId: trace, oid};
		const found = await client.resolveTraceArtifact({params, ...(download && {query: {download}})}, signal);
		if (!download) {
			return artifactResult(found);
		}

		const {progress} = interact;
		const bytes = await readArtifact(found, {transport: await program.servers.platform.anonymous(), signal, progress});
		const path = await program.files.save(file ?? fileNameOf(found), bytes);
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

export default noun({
	name: 'trace',
	aliases: ['traces'],
	summary: 'Send traces of runs or files, and read artifacts',
	verbs: [status, on, off, push, artifact],
	aliasFallback: 'status',
});
