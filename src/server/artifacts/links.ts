import {createHmac} from 'node:crypto';
import type {Seal} from '../accounts/seal.ts';
import {timingSafeEquals} from '../accounts/token.ts';
import type {Shown} from './blobs.ts';

/** Links to artifacts that are good by themselves, for a while, without a credential. */
export type Links = {
	/** The path and query of a link. */
	readonly sign: (name: string, shown: Shown) => Promise<string>;
	/** How a browser is to take what a link leads to; undefined for a link that is not ours, was changed, or is over. */
	readonly check: (name: string, query: URLSearchParams, now: Date) => Promise<Omit<Shown, 'expiresAt'> | undefined>;
};

/** Signs with a key that comes from the seal's, so that every server of a database knows the links of the others. */
export function createLinks(seal: Seal): Links {
	const key = seal.derive('artifact-links');
	return {
		async sign(name, {contentType, contentDisposition, expiresAt}) {
			// In whole seconds, as links have times; a part of one is left away so that none lives longer than was said.
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
			// As text: decoded, one signature would have several forms, with `=` behind it or other bits in its last letter.
			const isOurs = timingSafeEquals(signature, signatureOf(key, [name, expires, contentType, contentDisposition]));
			return isOurs && now.getTime() < Number(expires) * 1000 ? {contentType, contentDisposition} : undefined;
		},
	};
}

function signatureOf(key: Buffer, fields: readonly string[]): string {
	return createHmac('sha256', key).update(JSON.stringify(fields)).digest('base64url');
}
