import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {partOf, readTraceFiles, traceFormats} from '../../src/command/views/trace-push.ts';
import {originalOf} from '../../src/contract/lenient.ts';
import {AppError, reportError} from '../../src/core/error.ts';
import {formatBytes} from '../../src/core/format.ts';
import type {Json} from '../../src/core/json.ts';

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

/** Returns the error of a file that failed after others were sent, so that the user doesn't send those twice. */
function afterSome(error: unknown, sent: number, all: number): unknown {
	if (!(error instanceof AppError)) {
		return error;
	}

	const {code, message, hint} = reportError(error);
	const said = `${message} The first ${sent} of ${all} files were sent.`;
	return new AppError(code, said, {...(hint && {hint}), cause: error});
}
