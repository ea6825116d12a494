import type {Environment} from '../../core/environment.ts';
import {AppError} from '../../core/error.ts';
import {isLoopback} from '../../core/origin.ts';
import {type Secret, secret} from '../../core/secrets/secret.ts';

/** A bucket of S3 or of a compatible store. */
export type Bucket = {
	readonly kind: 's3';
	/** The bucket's URL, without a trailing slash. */
	readonly url: string;
	readonly region: string;
	/** The prefix of all object names: empty, or ends with a slash. */
	readonly prefix: string;
	readonly accessKeyId: string;
	readonly secretAccessKey: Secret;
	readonly sessionToken: Secret | undefined;
	/** Whether browsers read through this server because they can't reach the bucket. */
	readonly isProxied: boolean;
};

/** Where artifacts are stored. */
export type ArtifactLocation = {readonly kind: 'disk'; readonly folder: string} | Bucket;

const parameters = ['endpoint', 'region', 'proxy', 'insecure-http'];

/**
 * Parses a bucket such as `s3://bucket/prefix?endpoint=https://host&region=name&proxy=true`. Without an endpoint it is
 * an AWS bucket; `proxy=true` is for an endpoint that only this server can reach; plain HTTP to another machine needs
 * `insecure-http=true` (SAFETY 9). The credentials are those of AWS tools: `AWS_ACCESS_KEY_ID`,
 * `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, and `AWS_REGION` if the URL names no region. Throws AppError("usage")
 * for anything else.
 */
export function parseBucket(text: string, env: Environment): Bucket {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const bucket = url?.hostname ?? '';
	if (url?.protocol !== 's3:' || !/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucket) || url.username || url.port) {
		throw usageError('--artifacts must be a bucket such as s3://bucket?endpoint=https://host&region=name.');
	}

	const unknown = [...url.searchParams.keys()].find(name => !parameters.includes(name));
	if (unknown !== undefined) {
		throw usageError(`Unknown bucket parameter “${unknown}”.`);
	}

	const accessKeyId = env['AWS_ACCESS_KEY_ID'];
	const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
	if (!accessKeyId || !secretAccessKey) {
		throw usageError('The bucket has no access key.', 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
	}

	const region = url.searchParams.get('region') || env['AWS_REGION'] || 'us-east-1';
	const endpoint = url.searchParams.get('endpoint');
	const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
	if (!/^[\w./-]*$/.test(prefix) || prefix.split('/').some(part => /^\.+$/.test(part))) {
		throw usageError('A prefix may have letters, digits, dots, dashes and slashes.');
	}

	return {
		kind: 's3',
		url: endpoint === null ? awsUrl(bucket, region) : `${endpointOf(endpoint, isTrue(url, 'insecure-http'))}/${bucket}`,
		region,
		prefix: prefix && `${prefix}/`,
		accessKeyId,
		secretAccessKey: secret(secretAccessKey),
		sessionToken: env['AWS_SESSION_TOKEN'] ? secret(env['AWS_SESSION_TOKEN']) : undefined,
		isProxied: isTrue(url, 'proxy'),
	};
}

/** Returns the AWS URL of a bucket. AWS certificates don't cover bucket names with dots as subdomains. */
function awsUrl(bucket: string, region: string): string {
	const host = `s3.${region}.amazonaws.com`;
	return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}

function endpointOf(text: string, isInsecureAllowed: boolean): string {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username || url.password) {
		throw usageError('The endpoint of a bucket must be an http or https URL without a user name.');
	}

	if (url.protocol === 'http:' && !isLoopback(url) && !isInsecureAllowed) {
		throw usageError(
			'Refusing plain HTTP: anyone on the network could read the artifacts.',
			'Use https, or add `insecure-http=true`.',
		);
	}

	return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function isTrue({searchParams}: URL, name: string): boolean {
	return searchParams.get(name) === 'true';
}

function usageError(message: string, hint = 'Without --artifacts they are kept in the data folder.'): AppError {
	return new AppError('usage', message, {hint});
}
