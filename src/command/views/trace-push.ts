import {cutLine} from '../../core/cut-text.ts';
import {AppError} from '../../core/error.ts';
import {formatAmount} from '../../core/format.ts';
import {isJsonObject, type Json, parseJson} from '../../core/json.ts';

type Format = 'json' | 'protobuf';

/** A file of spans as it is sent. */
type TraceFile = {
	readonly name: string;
	readonly bytes: number;
	/** Undefined if it can't be counted. */
	readonly spans: number | undefined;
	readonly body: Uint8Array;
	readonly contentType: 'application/json' | 'application/x-protobuf';
	readonly contentEncoding?: 'gzip';
};

/** The most bytes of all files before compression. They are checked before the first file is sent. */
const maxTraceBytes = 64 * 1024 * 1024;

type Options = {
	readonly read: (path: string, limit: number) => Promise<Uint8Array>;
	/** The format of all files; by default each file's extension selects it. */
	readonly format: Format | undefined;
	readonly gzip: boolean;
};

/**
 * Reads files of spans in one of the two encodings of OTLP. Throws AppError("usage") for a file of unknown format, an empty
 * one, invalid JSON, one without spans, and for too many bytes.
 */
export async function readTraceFiles(paths: readonly string[], options: Options): Promise<readonly TraceFile[]> {
	const files: TraceFile[] = [];
	let room = maxTraceBytes;
	for (const path of paths) {
		const format = options.format ?? formatOf(path);
		const body = await options.read(path, room);
		room -= body.length;
		check(path, body, format);
		const spans = countSpans(body, format);
		if (spans === 0) {
			throw withoutSpans(path, body, format);
		}

		files.push({
			name: path === '-' ? 'standard input' : path,
			bytes: body.length,
			spans,
			body: options.gzip ? await compress(body) : body,
			contentType: format === 'json' ? 'application/json' : 'application/x-protobuf',
			...(options.gzip && {contentEncoding: 'gzip' as const}),
		});
	}

	return files;
}

function formatOf(path: string): Format {
	if (/\.json$/i.test(path)) {
		return 'json';
	}

	if (/\.(?:pb|binpb|protobuf|bin)$/i.test(path)) {
		return 'protobuf';
	}

	throw new AppError(
		'usage',
		`Can't tell the format of ${path === '-' ? 'standard input' : `“${path}”`} from its name.`,
		{
			hint: 'Pass --format json or --format protobuf.',
		},
	);
}

function check(path: string, body: Uint8Array, format: Format): void {
	const name = path === '-' ? 'Standard input' : path;
	if (body.length === 0) {
		throw new AppError('usage', `${name} is empty.`, {hint: 'Nothing was sent. Pass a file with spans.'});
	}

	if (format === 'json' && !isJsonObject(parseJson(new TextDecoder().decode(body)))) {
		throw new AppError('usage', `${name} is not a JSON object.`, {
			hint: 'Nothing was sent. For the binary encoding, pass --format protobuf.',
		});
	}
}

/** Returns the error for a file without spans, which some servers accept without a word: it names what it has in their place. */
function withoutSpans(path: string, body: Uint8Array, format: Format): AppError {
	const name = path === '-' ? 'Standard input' : path;
	const value = format === 'json' ? parseJson(new TextDecoder().decode(body)) : undefined;
	const [field] = isJsonObject(value) ? Object.keys(value).filter(key => !/^resource_?spans$/i.test(key)) : [];
	return new AppError('usage', `${name} holds no spans${field === undefined ? '' : `, but “${cutLine(field, 60)}”`}.`, {
		hint: 'Nothing was sent. Pass a file of OTLP traces: logs, metrics and other formats have no place here.',
	});
}

async function compress(body: Uint8Array): Promise<Uint8Array> {
	const [{promisify}, {gzip}] = await Promise.all([import('node:util'), import('node:zlib')]);
	return promisify(gzip)(body);
}

/** What became of the spans of a file. */
export type PushedSpans = {
	/** How many it has; undefined if they can't be counted. */
	readonly spans: number | undefined;
	readonly rejected: number;
	/** What the server says about those that it rejected, or about the rest of the file. */
	readonly words?: string;
};

/**
 * Reads what a server says of a file with so many spans: `partialSuccess` of OTLP 1.0, section “Partial Success”. It
 * accepted all if it says nothing.
 */
export function pushedSpans(answer: Json, counted: number | undefined): PushedSpans {
	const part = isJsonObject(answer) ? answer['partialSuccess'] : undefined;
	if (!isJsonObject(part)) {
		return {spans: counted, rejected: 0};
	}

	const {rejectedSpans, errorMessage: message} = part;
	const count = Number(rejectedSpans ?? 0);
	const rejected = Number.isSafeInteger(count) && count > 0 ? count : 0;
	const why = typeof message === 'string' && message ? message : undefined;
	const spans = counted !== undefined && counted >= rejected ? counted : undefined;
	const of = spans === undefined ? `${rejected}` : `${rejected} of ${spans}`;
	const rest = `${(spans ?? rejected) === 1 ? 'span' : 'spans'}${why ? `: ${why}` : '.'}`;
	const words =
		rejected > 0 ? `The server rejected ${of} ${rest}` : why === undefined ? undefined : `The server says: ${why}`;
	return {spans, rejected, ...(words !== undefined && {words})};
}

/** Returns how many spans of all files are stored, as the end of a sentence; '' if it isn't known of one of them. */
export function storedWords(files: readonly PushedSpans[]): string {
	const counts = files.map(({spans, rejected}) => (spans === undefined ? undefined : spans - rejected));
	const all = files.reduce((sum, {spans = 0}) => sum + spans, 0);
	const stored = counts.reduce<number>((sum, count = 0) => sum + count, 0);
	if (counts.includes(undefined)) {
		return '';
	}

	return stored === all
		? `: ${formatAmount(all, 'span')} stored`
		: `: ${stored} of ${formatAmount(all, 'span')} stored`;
}

/** Returns how many spans an OTLP request contains; undefined if it can't be read. */
function countSpans(bytes: Uint8Array, format: 'json' | 'protobuf'): number | undefined {
	return format === 'json' ? countJson(parseJson(new TextDecoder().decode(bytes))) : countProtobuf(bytes, path);
}

/** The field numbers of `resource_spans`, `scope_spans` and `spans`, each inside the one before. */
const path = [1, 2, 2];

/** Each list inside the one before, by the names that programs have for it. */
const lists: readonly RegExp[] = [/^resource_?spans$/i, /^(?:scope|instrumentation_?library)_?spans$/i, /^spans$/i];

function countJson(request: Json | undefined): number {
	return lists.reduce<readonly Json[]>((around, name) => around.flatMap(each => listAt(each, name)), [request ?? null])
		.length;
}

function listAt(value: Json, name: RegExp): readonly Json[] {
	const [, list] = isJsonObject(value) ? (Object.entries(value).find(([key]) => name.test(key)) ?? []) : [];
	return Array.isArray(list) ? list : [];
}

/** Counts the messages at the end of a path of field numbers, without reading their content. */
function countProtobuf(bytes: Uint8Array, [field, ...deeper]: readonly number[]): number | undefined {
	let count = 0;
	for (let at = 0; at < bytes.length; ) {
		const tag = readVarint(bytes, at);
		const value = tag && tag.value % 8 === lengthDelimited ? readVarint(bytes, tag.next) : undefined;
		const end = value && value.next + value.value;
		if (!tag || !value || end === undefined || end > bytes.length) {
			return undefined;
		}

		if (Math.floor(tag.value / 8) === field) {
			const inner = deeper.length > 0 ? countProtobuf(bytes.subarray(value.next, end), deeper) : 1;
			if (inner === undefined) {
				return undefined;
			}

			count += inner;
		}

		at = end;
	}

	return count;
}

/** The wire type of messages, and of strings. */
const lengthDelimited = 2;

function readVarint(bytes: Uint8Array, from: number): {readonly value: number; readonly next: number} | undefined {
	let value = 0;
	for (let at = from; at < Math.min(bytes.length, from + 8); at += 1) {
		const byte = bytes[at] ?? 0;
		value += (byte % 128) * 128 ** (at - from);
		if (byte < 128) {
			return {value, next: at + 1};
		}
	}

	return undefined;
}
