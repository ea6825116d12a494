import {AwsV4Signer} from 'aws4fetch';
import {reject} from '../kit/http-error.ts';
import type {Log} from '../kit/log.ts';
import type {Bucket} from './artifact-location.ts';

/** How long the store may take to start its response; for an upload, after all of it has arrived. */
const defaultTimeoutMs = 60_000;

/** What requests to a bucket need. */
export type S3Target = {
	readonly bucket: Bucket;
	readonly now: () => Date;
	readonly log: Log;
	readonly timeoutMs?: number | undefined;
};

type RequestOptions = {readonly headers?: Readonly<Record<string, string>>; readonly body?: ReadableStream<Uint8Array>};

/** Returns the URL of an object. */
export function objectUrl({url, prefix}: Bucket, name: string): string {
	return `${url}/${prefix}${name}`;
}

/** Creates a signer of one request to the bucket. */
export function signerOf(
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
export async function sendToS3(
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
export function rejectS3Status({log}: S3Target, method: string, status: number): never {
	log({level: 'error', message: 'object store refuses', method, status});
	return unavailable();
}

function unavailable(): never {
	return reject(502, 'The object store of this server is not available. Try again later.', {
		type: 'object_store_error',
	});
}
