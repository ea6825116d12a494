import {createHash, createHmac} from 'node:crypto';

/** A request as received. */
export type Received = {
	readonly method: string;
	/** Path and query, not decoded. */
	readonly target: string;
	/** By name in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Uint8Array;
};

export type Keys = {readonly accessKeyId: string; readonly secret: string; readonly region: string; readonly now: Date};

const hash = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** Encodes every byte but the unreserved ones as `%XX`, as AWS requires (“UriEncode”). */
const encode = (text: string) =>
	[...Buffer.from(text)]
		.map(byte => {
			const sign = String.fromCharCode(byte);
			return /[\w.~-]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
		})
		.join('');

const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));

/**
 * Returns what is wrong with the signature of an S3 request, in the header or in the query; undefined if it is valid.
 * Written from the manual (“Authenticating Requests: AWS Signature Version 4”), not from the signing code.
 */
export function fault({method, target, headers, body}: Received, {accessKeyId, secret, region, now}: Keys) {
	const [path = '', search = ''] = target.split('?');
	const query = search
		.split('&')
		.filter(Boolean)
		.map(pair => {
			const [name = '', value = ''] = pair.split('=');
			return [decode(name), decode(value)] as const;
		});
	const given = new Map(query);
	const isPresigned = given.has('X-Amz-Signature');
	const authorization = headers['authorization'] ?? '';
	const [, inHeader = '', signedInHeader = '', signatureInHeader = ''] =
		/^AWS4-HMAC-SHA256 Credential=([^ ,]+), SignedHeaders=([^ ,]+), Signature=([\da-f]{64})$/.exec(authorization) ?? [];
	if (isPresigned === Boolean(inHeader) || query.length !== given.size) {
		return 'AccessDenied';
	}

	const credential = isPresigned ? (given.get('X-Amz-Credential') ?? '') : inHeader;
	const signedNames = (isPresigned ? (given.get('X-Amz-SignedHeaders') ?? '') : signedInHeader).split(';');
	const signature = isPresigned ? (given.get('X-Amz-Signature') ?? '') : signatureInHeader;
	const date = (isPresigned ? given.get('X-Amz-Date') : headers['x-amz-date']) ?? '';
	const [id, day = '', where, service, end] = credential.split('/');
	if (id !== accessKeyId || where !== region || service !== 's3' || end !== 'aws4_request' || !date.startsWith(day)) {
		return 'InvalidAccessKeyId';
	}

	const at = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
	const age = now.getTime() - at;
	const seconds = Number(given.get('X-Amz-Expires'));
	if (isPresigned ? !(seconds >= 1 && seconds <= 604_800 && age < seconds * 1000) : !(Math.abs(age) < 900_000)) {
		return 'RequestTimeTooSkewed';
	}

	const mustSign = Object.keys(headers).filter(name => name === 'host' || name.startsWith('x-amz-'));
	if (mustSign.some(name => !signedNames.includes(name)) || signedNames.some(name => headers[name] === undefined)) {
		return 'UnsignedHeaders';
	}

	const payload = isPresigned ? 'UNSIGNED-PAYLOAD' : (headers['x-amz-content-sha256'] ?? '');
	if (payload !== 'UNSIGNED-PAYLOAD' && payload !== hash(body)) {
		return 'XAmzContentSHA256Mismatch';
	}

	const canonical = [
		method,
		path
			.split('/')
			.map(segment => encode(decodeURIComponent(segment)))
			.join('/'),
		query
			.filter(([name]) => name !== 'X-Amz-Signature')
			.map(([name, value]) => `${encode(name)}=${encode(value)}`)
			.sort()
			.join('&'),
		...[...signedNames].sort().map(name => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
		'',
		signedNames.join(';'),
		payload,
	].join('\n');
	const key = ['aws4_request'].reduce(hmac, [region, 's3'].reduce(hmac, hmac(`AWS4${secret}`, day)));
	const right = hmac(key, `AWS4-HMAC-SHA256\n${date}\n${day}/${region}/s3/aws4_request\n${hash(canonical)}`);
	return right.toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}
