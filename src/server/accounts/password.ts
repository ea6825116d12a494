import {randomBytes, type ScryptOptions, scrypt, timingSafeEqual} from 'node:crypto';

/** What scrypt costs (RFC 7914): memory is 128 · N · r bytes. It is stored with each hash, so that it may grow. */
type Cost = {readonly N: number; readonly r: number; readonly p: number};

/** 32 MiB and three passes, the least that OWASP's password storage cheat sheet takes for an N of 2^15. */
const usualCost: Cost = {N: 2 ** 15, r: 8, p: 3};
const saltBytes = 16;
const hashBytes = 32;
/** Most memory that a stored hash may ask for. */
const mostMemory = 128 * 1024 * 1024;

/** In characters. The least is what NIST SP 800-63B asks for where a second factor is offered; rules beyond that help nobody. */
export const passwordLength = {least: 10, most: 256} as const;

/** What is compared where there is no such user, so that the answer takes as long. */
const nobody = encode(usualCost, Buffer.alloc(saltBytes), Buffer.alloc(hashBytes));

/** Hashes a password with a fresh salt: `scrypt$N$r$p$salt$hash`, the last two in base64url. */
export async function hashPassword(password: string): Promise<string> {
	const salt = randomBytes(saltBytes);
	return encode(usualCost, salt, await derive(password, salt, usualCost));
}

/**
 * Whether a password is the one that was stored, in constant time. A user without a password, or none at all, takes as
 * long and is never right.
 */
export async function verifyPassword(password: string, stored: string | null | undefined): Promise<boolean> {
	const {cost, salt, hash} = decode(stored ?? nobody);
	const given = await derive(password, salt, cost);
	return timingSafeEqual(given, hash) && Boolean(stored);
}

function encode({N, r, p}: Cost, salt: Buffer, hash: Buffer): string {
	return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Reads a stored hash. Throws for what this server never wrote: its database is broken then. */
function decode(stored: string): {readonly cost: Cost; readonly salt: Buffer; readonly hash: Buffer} {
	const [, N, r, p, salt = '', hash = ''] = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored) ?? [];
	const bytes = Buffer.from(hash, 'base64url');
	if (bytes.length !== hashBytes) {
		throw new Error('A stored password hash cannot be read.');
	}

	return {cost: {N: Number(N), r: Number(r), p: Number(p)}, salt: Buffer.from(salt, 'base64url'), hash: bytes};
}

/** Most hashes at once, so that files get their turn in the thread pool, too, and most that may wait for theirs. */
const mostAtOnce = 2;
const mostWaiting = 20;

const waiting: (() => void)[] = [];
let running = 0;

/** Whether so many passwords are being checked that another one had to wait for seconds. */
export function isBusyHashing(): boolean {
	return waiting.length >= mostWaiting;
}

/** The same characters give the same hash, however a keyboard composed them (RFC 8265 section 4.2). */
async function derive(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
	const options: ScryptOptions = {...cost, maxmem: mostMemory};
	if (running >= mostAtOnce) {
		await new Promise<void>(resolve => waiting.push(resolve));
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
		// The next waiter takes over the slot; without one it becomes free.
		const next = waiting.shift();
		running -= next ? 0 : 1;
		next?.();
	}
}
