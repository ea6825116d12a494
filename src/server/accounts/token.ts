import {createHash, randomBytes} from 'node:crypto';
import {type Secret, secret} from '../../core/secrets/secret.ts';

/**
 * The prefix of each kind of token. It shows people and secret scanners what they found, and is not secret; the 32
 * random bytes behind it are.
 */
const prefixes = {
	'api-key': 'svc_',
	access: 'sva_',
	refresh: 'svr_',
	device: 'svd_',
	session: 'svs_',
	'password-code': 'svp_',
	/** In the link of an invitation. */
	invitation: 'svi_',
	/** For a sandbox, on behalf of the user who created it. */
	execute: 'svx_',
} as const;

export type TokenKind = keyof typeof prefixes;

export const tokenKinds = Object.keys(prefixes) as readonly TokenKind[];

/** A new token and its stored hash. */
export type NewToken = {readonly token: Secret; readonly hash: string};

const randomLength = 32;
const shape = /^(sv[acdiprsx]_)[\w-]{43}$/;

/** Creates a token of a kind. It has 256 random bits, so a fast hash without salt is enough to store it (SAFETY 26). */
export function createToken(kind: TokenKind): NewToken {
	const value = `${prefixes[kind]}${randomBytes(randomLength).toString('base64url')}`;
	return {token: secret(value), hash: hashToken(value)};
}

/** Returns the stored form of a token: SHA-256 in hexadecimal. */
export function hashToken(token: string): string {
	return createHash('sha256').update(token).digest('hex');
}

/** Returns the kind of a token by its format; undefined for any other text, which then needs no database lookup. */
export function kindOfToken(text: string): TokenKind | undefined {
	const [, prefix] = shape.exec(text) ?? [];
	return tokenKinds.find(kind => prefixes[kind] === prefix);
}
