import {createReadStream} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Readable} from 'node:stream';
import {AwsV4Signer} from 'aws4fetch';
import type {Log} from '../kit/log.ts';
import {refuse} from '../kit/refusal.ts';
import type {Bucket} from './artifact-place.ts';
import type {Blobs} from './blobs.ts';
import {onDisk, spool} from './spool.ts';

/** How long the store may take to begin its answer, in milliseconds: after an upload, all of which has to arrive. */
const patience = 60_000;

type Options = {readonly now: () => Date; readonly log: Log; readonly deadline?: number};

type Sent = {readonly headers?: Readonly<Record<string, string>>; readonly body?: ReadableStream<Uint8Array>};

/** Keeps bytes in a bucket. Each upload is a file on the way, so that its length and hash are signed before it is sent. */
export function createS3Blobs(bucket: Bucket, {now, log, deadline = patience}: Options): Blobs {
	return {
		async put(name, chunks, sha256) {
			const folder = await onDisk(mkdtemp(join(tmpdir(), 'service-upload-')));
			try {
				const spooled = await spool(folder, chunks, sha256);
				const response = await send('PUT', name, {
					headers: {
						'content-length': String(spooled.size),
						'x-amz-content-sha256': spooled.sha256,
						// Under a hash there can be nothing but the same bytes; a name must not get others.
						...(sha256 === undefined && {'if-none-match': '*'}),
					},
					body: spooled.size > 0 ? toWeb(createReadStream(spooled.path)) : undefined,
				});
				await response.body?.cancel();
				return response.ok ? 'stored' : isTaken(response) ? 'exists' : fail('PUT', response.status);
			} finally {
				await rm(folder, {recursive: true, force: true});
			}
		},

		async size(name) {
			const response = await send('HEAD', name);
			return response.ok ? Number(response.headers.get('content-length')) : missing('HEAD', response);
		},

		async open(name, range) {
			const headers = range && {range: `bytes=${range.start}-${range.end}`};
			const response = await send('GET', name, {headers});
			if (response.ok && response.body) {
				return response.body;
			}

			await response.body?.cancel();
			return missing('GET', response);
		},

		...(!bucket.isProxied && {
			async presign(name, {contentType, contentDisposition, expiresAt}) {
				const url = new URL(urlOf(name));
				const seconds = Math.ceil((expiresAt.getTime() - now().getTime()) / 1000);
				url.searchParams.set('X-Amz-Expires', String(seconds));
				url.searchParams.set('response-content-type', contentType);
				url.searchParams.set('response-content-disposition', contentDisposition);
				const signed = await signer('GET', url.href, {signQuery: true}).sign();
				return signed.url.href;
			},
		}),
	};

	function urlOf(name: string): string {
		return `${bucket.url}/${bucket.prefix}${name}`;
	}

	function signer(method: string, url: string, options: {signQuery?: boolean; headers?: Record<string, string>}) {
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

	async function send(method: string, name: string, {headers = {}, body}: Sent = {}): Promise<Response> {
		const signed = await signer(method, urlOf(name), {headers: {...headers}}).sign();
		const late = new AbortController();
		// The answer itself may take as long as whoever reads it: it must not be cut.
		const timer = setTimeout(() => late.abort(new Error(`no answer in ${deadline} ms`)), deadline);
		try {
			return await fetch(signed.url, {
				method,
				headers: signed.headers,
				body,
				...(body && {duplex: 'half'}),
				redirect: 'manual',
				signal: late.signal,
			});
		} catch (error) {
			const reason = error instanceof Error ? String(error.cause ?? error.message) : String(error);
			log({level: 'error', message: 'object store does not answer', method, reason});
			return unavailable();
		} finally {
			clearTimeout(timer);
		}
	}

	function missing(method: string, {status}: Response): undefined {
		return status === 404 ? undefined : fail(method, status);
	}

	function fail(method: string, status: number): never {
		log({level: 'error', message: 'object store refuses', method, status});
		return unavailable();
	}
}

function unavailable(): never {
	return refuse(502, 'The object store of this server does not take or give artifacts. Try again later.', {
		type: 'object_store_error',
	});
}

/** 412 where there is an object of the name, 409 where another one is written under it at this moment. */
function isTaken({status}: Response): boolean {
	return status === 412 || status === 409;
}

function toWeb(stream: Readable): ReadableStream<Uint8Array> {
	return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
