import {randomBytes, type ScryptOptions, scrypt, timingSafeEqual} from 'node:crypto';

/**
 * Cost parameters of scrypt (RFC 7914); memory is 128 · N · r bytes. They are stored with each hash, so that they can
 * be raised later.
 */
export type PasswordCost = {readonly N: number; readonly r: number; readonly p: number};

/** 32 MiB and three passes: OWASP's recommended minimum for N = 2^15. */
export const fullCost: PasswordCost = {N: 2 ** 15, r: 8, p: 3};
const saltBytes = 16;
const hashBytes = 32;
/** The most memory that a stored hash may require. */
const maxMemoryBytes = 128 * 1024 * 1024;

/** In characters. The minimum is NIST SP 800-63B's for passwords with a second factor. Rules beyond that don't help. */
export const passwordLength = {min: 10, max: 256} as const;

/** Hashes a password with a random salt: `scrypt$N$r$p$salt$hash`, the last two in base64url. */
export async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
	const salt = randomBytes(saltBytes);
	return encode(cost, salt, await derive(password, salt, cost));
}

/**
 * Returns whether a password matches the stored hash, in constant time. An unknown user, or one without a password,
 * takes as long as a hash of this cost, and never matches.
 */
export async function verifyPassword(
	password: string,
	stored: string | null | undefined,
	unknown: PasswordCost,
): Promise<boolean> {
	const {cost, salt, hash} = stored
		? decode(stored)
		: {cost: unknown, salt: Buffer.alloc(saltBytes), hash: Buffer.alloc(hashBytes)};
	const given = await derive(password, salt, cost);
	return timingSafeEqual(given, hash) && Boolean(stored);
}

function encode({N, r, p}: PasswordCost, salt: Buffer, hash: Buffer): string {
	return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Parses a stored hash. Throws if it is corrupt. */
function decode(stored: string): {readonly cost: PasswordCost; readonly salt: Buffer; readonly hash: Buffer} {
	const [, N, r, p, salt = '', hash = ''] = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored) ?? [];
	const bytes = Buffer.from(hash, 'base64url');
	if (bytes.length !== hashBytes) {
		throw new Error('A stored password hash cannot be read.');
	}

	return {cost: {N: Number(N), r: Number(r), p: Number(p)}, salt: Buffer.from(salt, 'base64url'), hash: bytes};
}

/** How many hashes run at once, so that the thread pool stays available for files, and how many may wait. */
const maxConcurrent = 2;
const maxQueued = 20;

const queue: (() => void)[] = [];
let running = 0;

/** Returns whether another password check would have to wait for seconds. */
export function isBusyHashing(): boolean {
	return queue.length >= maxQueued;
}

/**
 * Derives the hash. A password gives the same hash however the keyboard composed its characters (RFC 8265, section
 * 4.2).
 */
async function derive(password: string, salt: Buffer, cost: PasswordCost): Promise<Buffer> {
	const options: ScryptOptions = {...cost, maxmem: maxMemoryBytes};
	if (running >= maxConcurrent) {
		await new Promise<void>(resolve => queue.push(resolve));
	} else {
		running += 1;
	}

	try {
		return await new Promise((resolve, reject) => {
			scrypt(password.normalize('NFC'), salt, hashBytes, options, (error, key) =>
				error ? reject(error) : resolve(key),
			);
		});
	} finally {
		// The next in line takes over the slot; without one, it becomes free.
		const next = queue.shift();
		running -= next ? 0 : 1;
		next?.();
	}
}
