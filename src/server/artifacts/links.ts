import {createHmac, randomBytes, timingSafeEqual} from 'node:crypto';
import {once} from '../../core/once.ts';
import type {Database} from '../database/tables.ts';
import type {Shown} from './blobs.ts';

/** Links to artifacts that are good by themselves, for a while, without a credential. */
export type Links = {
	/** The path and query of a link. */
	readonly sign: (name: string, shown: Shown) => Promise<string>;
	/** How a browser is to take what a link leads to; undefined for a link that is not ours, was changed, or is over. */
	readonly check: (name: string, query: URLSearchParams, now: Date) => Promise<Omit<Shown, 'expiresAt'> | undefined>;
};

const keyName = 'artifact-links';

/** Signs with a key that is kept in the database, so that every server of it knows the links of the others. */
export function createLinks(database: Database): Links {
	const key = once(() => loadKey(database));
	return {
		async sign(name, {contentType, contentDisposition, expiresAt}) {
			// In whole seconds, as links have times; a part of one is left away so that none lives longer than was said.
			const expires = String(Math.floor(expiresAt.getTime() / 1000));
			const signature = signatureOf(await key(), [name, expires, contentType, contentDisposition]).toString(
				'base64url',
			);
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
			const right = signatureOf(await key(), [name, expires, contentType, contentDisposition]);
			const given = Buffer.from(signature, 'base64url');
			const isOurs = given.length === right.length && timingSafeEqual(given, right);
			return isOurs && now.getTime() < Number(expires) * 1000 ? {contentType, contentDisposition} : undefined;
		},
	};
}

function signatureOf(key: Buffer, fields: readonly string[]): Buffer {
	return createHmac('sha256', key).update(JSON.stringify(fields)).digest();
}

/** The key, made by whoever comes first. */
async function loadKey(database: Database): Promise<Buffer> {
	await database
		.insertInto('signing_keys')
		.values({name: keyName, value: randomBytes(32).toString('base64url'), created_at: new Date().toISOString()})
		.onConflict(conflict => conflict.column('name').doNothing())
		.execute();
	const {value} = await database
		.selectFrom('signing_keys')
		.select('value')
		.where('name', '=', keyName)
		.executeTakeFirstOrThrow();
	return Buffer.from(value, 'base64url');
}
