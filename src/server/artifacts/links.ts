import {createHmac} from 'node:crypto';
import type {Seal} from '../accounts/seal.ts';
import {timingSafeEquals} from '../accounts/token.ts';
import type {LinkOptions} from './blobs.ts';

/** Signed links to artifacts, valid for a while without a credential. */
export type Links = {
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
export function createLinks(seal: Seal): Links {
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
