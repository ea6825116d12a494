import {createHmac} from 'node:crypto';
import {timingSafeEquals} from '../../core/secrets/timing-safe-equals.ts';
import type {Seal} from '../accounts/seal.ts';
import type {Log} from '../kit/log.ts';
import type {ArtifactLocation} from './artifact-location.ts';
import type {Blobs, LinkOptions} from './blobs.ts';
import {createDiskBlobs} from './disk-blobs.ts';
import {createS3Blobs} from './s3-blobs.ts';

/** Artifacts, and links to them that need no credential. */
export type ArtifactStore = {
	readonly blobs: Blobs;
	readonly links: Links;
	/** Returns a URL that shows or downloads an artifact until it expires. */
	readonly presign: (name: string, link: LinkOptions) => Promise<string>;
};

type Options = {
	readonly seal: Seal;
	readonly now: () => Date;
	readonly publicUrl: () => string;
	readonly log: Log;
};

/** Opens the store. It isn't accessed before the first artifact. */
export function openArtifacts(location: ArtifactLocation, {seal, now, publicUrl, log}: Options): ArtifactStore {
	const blobs = location.kind === 's3' ? createS3Blobs(location, {now, log}) : createDiskBlobs(location.folder);
	const links = createLinks(seal);
	return {
		blobs,
		links,
		presign: async (name, link) =>
			blobs.presign ? await blobs.presign(name, link) : `${publicUrl()}${await links.sign(name, link)}`,
	};
}

/** Signed links to artifacts, valid for a while without a credential. */
type Links = {
	/** Returns the path and query of a link. */
	readonly sign: (name: string, link: LinkOptions) => Promise<string>;
	/** Returns how a browser shows the linked artifact; undefined if the link is invalid, modified or expired. */
	readonly check: (
		name: string,
		query: URLSearchParams,
		now: Date,
	) => Promise<Omit<LinkOptions, 'expiresAt'> | undefined>;
};

/** Creates links signed with a key derived from the seal key, so that all servers of a database accept them. */
function createLinks(seal: Seal): Links {
	const key = seal.derive('artifact-links');
	return {
		async sign(name, {contentType, contentDisposition, expiresAt}) {
			// Link times are whole seconds, rounded down so that no link lives longer than requested.
			const expires = String(Math.floor(expiresAt.getTime() / 1000));
			const signature = signatureOf(key, [name, expires, contentType, contentDisposition]);
			const query = new URLSearchParams({expires, type: contentType, disposition: contentDisposition, signature});
			return `/artifacts/${name}?${query}`;
		},

		async check(name, query, now) {
			const [expires = '', contentType = '', contentDisposition = '', signature = ''] = [
				'expires',
				'type',
				'disposition',
				'signature',
			].map(field => query.get(field) ?? '');
			// Compared as text: decoded, one signature would have several forms (padding, unused bits of the last
			// letter).
			const isOurs = timingSafeEquals(signature, signatureOf(key, [name, expires, contentType, contentDisposition]));
			return isOurs && now.getTime() < Number(expires) * 1000 ? {contentType, contentDisposition} : undefined;
		},
	};
}

function signatureOf(key: Buffer, fields: readonly string[]): string {
	return createHmac('sha256', key).update(JSON.stringify(fields)).digest('base64url');
}
