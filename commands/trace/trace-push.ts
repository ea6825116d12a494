import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import type {PushedSpans} from '../../src/command/views/trace-push.ts';
import {originalOf} from '../../src/contract/lenient.ts';
import {AppError, reportError} from '../../src/core/error.ts';
import {formatBytes} from '../../src/core/format.ts';
import type {Json} from '../../src/core/json.ts';

const traceFormats = ['json', 'protobuf'] as const;
const formats = traceFormats.join(' or ');

export default command({
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

	async run(
		{file, format, gzip = false},
		{
			program: {
				servers: {platform},
				files: {read: readFile},
			},
			signal,
		},
	) {
		const [{client, scope}, {pushedSpans, readTraceFiles, storedWords}] = await Promise.all([
			platform.open(),
			import('../../src/command/views/trace-push.ts'),
		]);
		const params = await scope('org');
		const files = await readTraceFiles(file, {read: readFile, format, gzip});
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
