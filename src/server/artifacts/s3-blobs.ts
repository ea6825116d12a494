import {createReadStream} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Readable} from 'node:stream';
import {AwsV4Signer} from 'aws4fetch';
import {reject} from '../kit/http-error.ts';
import type {Log} from '../kit/log.ts';
import type {Bucket} from './artifact-location.ts';
import type {Blobs, LinkOptions, StoredBlob} from './blobs.ts';
import {asStoreError, spool} from './spool.ts';

/** Creates storage in a bucket. Each upload is spooled to a file, so that its length and hash are signed before it is sent. */
export function createS3Blobs(bucket: Bucket, options: Omit<S3Target, 'bucket'>): Blobs {
	const target = {bucket, ...options};
	return {
		put: (name, chunks, sha256) => put(target, name, chunks, sha256),

		async size(name) {
			const response = await sendToS3(target, 'HEAD', name);
			return response.ok ? Number(response.headers.get('content-length')) : missing(target, 'HEAD', response);
		},

		async open(name, range) {
			const headers = range && {range: `bytes=${range.start}-${range.end}`};
			const response = await sendToS3(target, 'GET', name, {headers});
			if (response.ok && response.body) {
				return response.body;
			}

			await response.body?.cancel();
			return missing(target, 'GET', response);
		},

		async remove(name) {
			const response = await sendToS3(target, 'DELETE', name);
			await response.body?.cancel();
			if (!response.ok) {
				missing(target, 'DELETE', response);
			}
		},

		list: (folder, after) => list(target, folder, after),

		...(!bucket.isProxied && {presign: (name, link) => presign(target, name, link)}),
	};
}

async function put(target: S3Target, ...[name, chunks, sha256]: Parameters<Blobs['put']>): ReturnType<Blobs['put']> {
	const folder = await asStoreError(mkdtemp(join(tmpdir(), 'service-upload-')));
	try {
		const spooled = await spool(folder, chunks, sha256);
		const response = await sendToS3(target, 'PUT', name, {
			headers: {
				'content-length': String(spooled.size),
				'x-amz-content-sha256': spooled.sha256,
				// A hash can only name the same bytes; any other name must not be overwritten.
				...(sha256 === undefined && {'if-none-match': '*'}),
			},
			body: spooled.size > 0 ? toWeb(createReadStream(spooled.path)) : undefined,
		});
		await response.body?.cancel();
		if (response.ok) {
			return 'stored';
		}

		return isTaken(response) ? 'exists' : rejectS3Status(target, 'PUT', response.status);
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
}

/** Lists objects (ListObjectsV2). Our names and prefixes have no character that XML or a URL escapes. */
async function list(target: S3Target, folder: string, after: string): Promise<readonly StoredBlob[] | undefined> {
	const {prefix} = target.bucket;
	const query = new URLSearchParams({'list-type': '2', prefix: `${prefix}${folder}/`});
	if (after !== '') {
		query.set('start-after', `${prefix}${after}`);
	}

	const response = await sendToS3(target, 'GET', `?${query}`);
	const text = await response.text();
	if (!response.ok) {
		return response.status === 403 ? undefined : (missing(target, 'GET', response) ?? []);
	}

	return [...text.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, contents = '']) => {
		const field = (name: string) => new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(contents)?.[1] ?? '';
		return {
			name: field('Key').slice(prefix.length),
			bytes: Number(field('Size')),
			storedAtMs: Date.parse(field('LastModified')),
		};
	});
}

async function presign(
	target: S3Target,
	name: string,
	{contentType, contentDisposition, expiresAt}: LinkOptions,
): Promise<string> {
	const url = new URL(objectUrl(target.bucket, name));
	const seconds = Math.ceil((expiresAt.getTime() - target.now().getTime()) / 1000);
	url.searchParams.set('X-Amz-Expires', String(seconds));
	url.searchParams.set('response-content-type', contentType);
	url.searchParams.set('response-content-disposition', contentDisposition);
	const signed = await signerOf(target, 'GET', url.href, {signQuery: true}).sign();
	return signed.url.href;
}

/** Returns undefined for an object that is not found. Rejects any other status. */
function missing(target: S3Target, method: string, {status}: Response): undefined {
	return status === 404 ? undefined : rejectS3Status(target, method, status);
}

/** Returns whether an object of the name exists (412), or another request is writing one (409). */
function isTaken({status}: Response): boolean {
	return status === 412 || status === 409;
}

function toWeb(stream: Readable): ReadableStream<Uint8Array> {
	return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}

/** How long the store may take to start its response; for an upload, after all of it has arrived. */
const defaultTimeoutMs = 60_000;

/** What requests to a bucket need. */
type S3Target = {
	readonly bucket: Bucket;
	readonly now: () => Date;
	readonly log: Log;
	readonly timeoutMs?: number | undefined;
};

type RequestOptions = {readonly headers?: Readonly<Record<string, string>>; readonly body?: ReadableStream<Uint8Array>};

/** Returns the URL of an object, or that of the bucket with a query. */
function objectUrl({url, prefix}: Bucket, name: string): string {
	return name.startsWith('?') ? `${url}${name}` : `${url}/${prefix}${name}`;
}

/** Creates a signer of one request to the bucket. */
function signerOf(
	{bucket, now}: S3Target,
	method: string,
	url: string,
	options: {signQuery?: boolean; headers?: Record<string, string>},
): AwsV4Signer {
	return new AwsV4Signer({
		...options,
		method,
		url,
		accessKeyId: bucket.accessKeyId,
		secretAccessKey: bucket.secretAccessKey.reveal(),
		sessionToken: bucket.sessionToken?.reveal(),
		service: 's3',
		region: bucket.region,
		datetime: now()
			.toISOString()
			.replace(/[:-]|\.\d{3}/g, ''),
	});
}

/** Sends a signed request for an object. Rejects (502) if the store doesn't respond in time. */
async function sendToS3(
	target: S3Target,
	method: string,
	name: string,
	{headers = {}, body}: RequestOptions = {},
): Promise<Response> {
	const {bucket, log, timeoutMs = defaultTimeoutMs} = target;
	const signed = await signerOf(target, method, objectUrl(bucket, name), {headers: {...headers}}).sign();
	const timeout = new AbortController();
	// Only the start of the response is timed: its body may take as long as its reader.
	const timer = setTimeout(() => timeout.abort(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
	try {
		return await fetch(signed.url, {
			method,
			headers: signed.headers,
			body,
			...(body && {duplex: 'half'}),
			redirect: 'manual',
			signal: timeout.signal,
		});
	} catch (error) {
		const reason = error instanceof Error ? String(error.cause ?? error.message) : String(error);
		log({level: 'error', message: 'object store does not answer', method, reason});
		return unavailable();
	} finally {
		clearTimeout(timer);
	}
}

/** Rejects (502) because of an error status, and logs it. */
function rejectS3Status({log}: S3Target, method: string, status: number): never {
	log({level: 'error', message: 'object store refuses', method, status});
	return unavailable();
}

function unavailable(): never {
	return reject(502, 'The object store of this server is not available. Try again later.', {
		type: 'object_store_error',
	});
}
