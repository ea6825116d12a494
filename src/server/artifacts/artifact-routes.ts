import {streamBody} from '../kit/body.ts';
import {guard} from '../kit/guard.ts';
import {reject, rejectField, rejectNotFound} from '../kit/http-error.ts';
import type {PublicRequest, RouteRequest, ServerRoute} from '../kit/route.ts';
import {claimBytes, readStorage, rejectArtifact, releaseBytes} from '../quota/stored-bytes.ts';
import type {ArtifactServices} from './artifact-services.ts';
import type {Blobs, ByteRange} from './blobs.ts';
import {hashOf, maxOidLength, objectName} from './object-name.ts';

export const maxArtifactBytes = 64 * 1024 * 1024;

/** The upload of artifacts, and the download by a presigned URL. Both are extensions of the specification. */
export function artifactRoutes(services: ArtifactServices): readonly ServerRoute[] {
	const quota = createUploadQuota(services);
	return [
		{
			method: 'PUT',
			path: '/api/v1/org/:org/ws/:workspace/artifacts/:oid',
			auth: 'credential',
			accepts: [],
			handle: input => upload(services, quota, input),
		},
		{method: 'GET', path: '/artifacts/:workspaceId/:object', auth: 'none', handle: input => download(services, input)},
	];
}

/**
 * Stores an artifact, before or after a span refers to it: 201, or 200 if it is already stored. If the oid is a hash,
 * the bytes must match it (400); for any other name, the first bytes stay (409).
 */
async function upload(services: ArtifactServices, quota: UploadQuota, input: RouteRequest) {
	// Anyone who may send spans may send the artifacts they refer to.
	const scope = guard('pushTraces', input);
	if (!scope?.workspace) {
		rejectNotFound();
	}

	const {request, parameters} = input;
	const {artifacts} = services;
	const {oid = ''} = parameters;
	const sha256 = hashOf(oid);
	if (oid.length > maxOidLength || (oid.startsWith('sha256:') && !sha256)) {
		const msg = `must be sha256: with 64 digits in lower case, or another name of at most ${maxOidLength} characters`;
		rejectField(['path', 'oid'], msg, 'invalid_format');
	}

	if (request.headers.has('content-encoding')) {
		reject(400, 'Send the bytes of an artifact as they are, without Content-Encoding.');
	}

	const name = objectName(scope.workspace.id, oid);
	const isStored = (await artifacts.blobs.size(name)) !== undefined;
	const outcome = isStored
		? 'exists'
		: await quota(
				{
					organizationId: scope.organization.id,
					announcedBytes: announcedLength(request),
					chunks: streamBody(request, maxArtifactBytes),
				},
				chunks => artifacts.blobs.put(name, chunks, sha256),
			);
	if (outcome === 'exists' && !sha256) {
		reject(409, 'The bytes of this oid are already stored and cannot change.', {type: 'already_exists_error'});
	}

	const size_bytes = await artifacts.blobs.size(name);
	if (services.counters && outcome === 'stored') {
		services.counters.artifactBytes += size_bytes ?? 0;
	}

	return Response.json({oid, size_bytes}, {status: outcome === 'stored' ? 201 : 200});
}

/** Returns the announced length of an upload; undefined if it is missing or invalid. */
function announcedLength({headers}: Request): number | undefined {
	const announced = Number(headers.get('content-length'));
	return Number.isInteger(announced) && announced > 0 && announced <= maxArtifactBytes ? announced : undefined;
}

/** Sent with every artifact: browsers must not guess its type, and must not run anything in it. */
const securityHeaders = {
	'x-content-type-options': 'nosniff',
	'content-security-policy': "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
	'referrer-policy': 'no-referrer',
	'accept-ranges': 'bytes',
};

async function download(
	{artifacts, now}: ArtifactServices,
	{request, url, parameters}: PublicRequest,
): Promise<Response> {
	const name = `${parameters['workspaceId']}/${parameters['object']}`;
	const link = await artifacts.links.check(name, url.searchParams, now());
	if (!link) {
		reject(403, 'This link is invalid or has expired. Resolve the artifact again.');
	}

	const size = await artifacts.blobs.size(name);
	const range = size === undefined ? undefined : rangeOf(request.headers.get('range'), size);
	const body = size === undefined ? undefined : await artifacts.blobs.open(name, range);
	if (size === undefined || !body) {
		rejectNotFound();
	}

	return new Response(body, {
		status: range ? 206 : 200,
		headers: {
			...securityHeaders,
			'content-type': link.contentType,
			'content-disposition': link.contentDisposition,
			'content-length': String(range ? range.end - range.start + 1 : size),
			...(range && {'content-range': `bytes ${range.start}-${range.end}/${size}`}),
		},
	});
}

/**
 * Parses a `Range` header for `size` bytes (RFC 9110, section 14.1.2). Returns undefined for a missing, multiple,
 * invalid or unsatisfiable range: servers may ignore the header and send everything (section 14.2).
 */
export function rangeOf(header: string | null, size: number): ByteRange | undefined {
	const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
	if (first === '' && last === '') {
		return undefined;
	}

	const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
	const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
	return start <= end ? {start, end} : undefined;
}

type Upload = {
	readonly organizationId: string;
	/** The announced size; undefined if the client announces none. */
	readonly announcedBytes: number | undefined;
	readonly chunks: AsyncIterable<Uint8Array>;
};

/** Stores an upload within the storage limit of its organization. Rejects (429) as soon as it can't fit. */
type UploadQuota = (
	upload: Upload,
	put: (chunks: AsyncIterable<Uint8Array>) => ReturnType<Blobs['put']>,
) => ReturnType<Blobs['put']>;

type Quota = {
	readonly database: ArtifactServices['database'];
	readonly limit: number;
	/** Bytes that uploads in progress have reserved, by organization. */
	readonly reserved: Map<string, number>;
};

/** The state of one upload: bytes it has reserved, and bytes it has claimed in the database but not stored. */
type Progress = {readonly organizationId: string; reserved: number; claimed: number};

/** How many bytes are reserved at a time for an upload without an announced size. */
const reservationBytes = 4 * 1024 * 1024;

/**
 * Creates a quota that reserves bytes for uploads in the memory of this process, and claims them in the database once
 * they have arrived. An upload that is cut off, by its client or by a crash of the server, must not stay counted.
 */
function createUploadQuota({database, storageLimit: limit}: ArtifactServices): UploadQuota {
	const quota: Quota = {database, limit, reserved: new Map()};
	return async ({organizationId, announcedBytes, chunks}, put) => {
		const progress: Progress = {organizationId, reserved: 0, claimed: 0};
		try {
			if (announcedBytes !== undefined) {
				await reserve(quota, progress, {required: announcedBytes, wanted: announcedBytes});
			}

			const outcome = await put(meter(quota, progress, chunks));
			if (outcome === 'stored') {
				progress.claimed = 0;
			}

			return outcome;
		} finally {
			release(quota, progress);
			if (progress.claimed > 0) {
				await releaseBytes(database, organizationId, progress.claimed);
			}
		}
	};
}

/** Passes an upload's chunks on, reserving bytes as they arrive, and claims them at the end. */
async function* meter(quota: Quota, progress: Progress, chunks: AsyncIterable<Uint8Array>) {
	let received = 0;
	for await (const chunk of chunks) {
		received += chunk.length;
		const required = received - progress.reserved;
		if (required > 0) {
			await reserve(quota, progress, {required, wanted: Math.max(reservationBytes, required)});
		}

		yield chunk;
	}

	release(quota, progress);
	await claimBytes(quota.database, {
		organizationId: progress.organizationId,
		bytes: received,
		limit: quota.limit,
		refuse: rejectArtifact,
	});
	progress.claimed = received;
}

/** Reserves the wanted bytes, or as many as fit. Rejects (429) if the required ones don't. */
async function reserve(
	{database, limit, reserved}: Quota,
	progress: Progress,
	{required, wanted}: {readonly required: number; readonly wanted: number},
): Promise<void> {
	const {organizationId} = progress;
	const {stored, limit: own} = await readStorage(database, organizationId, limit);
	// Nothing is awaited from here on, so that concurrent uploads see each other's reservations.
	const total = reserved.get(organizationId) ?? 0;
	const free = own - stored - total;
	if (required > free) {
		rejectArtifact(own, progress.reserved + required);
	}

	const bytes = Math.min(wanted, free);
	reserved.set(organizationId, total + bytes);
	progress.reserved += bytes;
}

/** Releases everything that an upload has reserved. */
function release({reserved}: Quota, progress: Progress): void {
	const rest = (reserved.get(progress.organizationId) ?? 0) - progress.reserved;
	progress.reserved = 0;
	if (rest > 0) {
		reserved.set(progress.organizationId, rest);
	} else {
		reserved.delete(progress.organizationId);
	}
}
