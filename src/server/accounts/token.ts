import {createHash, randomBytes, timingSafeEqual} from 'node:crypto';
import {type Secret, secret} from '../../core/secrets/secret.ts';

/**
 * What each kind begins with: whoever finds one in a log, or a scanner for leaked secrets, sees what it is. The prefix is
 * no secret; the 32 random bytes behind it are.
 */
const prefixes = {
	'api-key': 'svc_',
	access: 'sva_',
	refresh: 'svr_',
	device: 'svd_',
	session: 'svs_',
	'password-code': 'svp_',
	/** Of a sandbox, for the user who created it. */
	execute: 'svx_',
} as const;

export type TokenKind = keyof typeof prefixes;

export const tokenKinds = Object.keys(prefixes) as readonly TokenKind[];

/** A fresh secret and what is stored of it. */
export type MadeToken = {readonly token: Secret; readonly hash: string};

const randomLength = 32;
const shape = /^(sv[acdprsx]_)[\w-]{43}$/;

/** Creates a token of a kind. It has 256 random bits, so a fast hash without salt is enough to store it (SAFETY 26). */
export function makeToken(kind: TokenKind): MadeToken {
	const value = `${prefixes[kind]}${randomBytes(randomLength).toString('base64url')}`;
	return {token: secret(value), hash: hashToken(value)};
}

/** What is stored of a token, and looked up: SHA-256 in hexadecimal. */
export function hashToken(token: string): string {
	return createHash('sha256').update(token).digest('hex');
}

/** The kind that a text is by its looks; undefined for what was never made here, which needs no look at the database. */
export function kindOfToken(text: string): TokenKind | undefined {
	const [, prefix] = shape.exec(text) ?? [];
	return tokenKinds.find(kind => prefixes[kind] === prefix);
}

/** Whether two texts are the same, in a time that says nothing about where they differ. */
export function isSame(given: string, expected: string): boolean {
	const [left, right] = [given, expected].map(text => createHash('sha256').update(text).digest());
	return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
