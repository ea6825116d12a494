import {createCipheriv, createDecipheriv, createHmac, randomBytes} from 'node:crypto';

/** Encrypts secrets that the server must read again, so that the database alone (a dump or backup) doesn't reveal them. */
export type Seal = {
	/** Encrypts a text for one context, such as a field of one row. It can't be decrypted in another. */
	readonly encrypt: (text: string, context: string) => string;
	/**
	 * Decrypts a text. Throws a plain error if it was sealed with another key or for another context, or was modified.
	 */
	readonly decrypt: (sealed: string, context: string) => string;
	/** Derives another 32-byte key for one purpose. It reveals nothing about this key or other derived keys. */
	readonly derive: (purpose: string) => Buffer;
};

export const sealKeyBytes = 32;

/** The version prefix of every sealed text. */
const version = 'v1.';

const algorithm = 'aes-256-gcm';
/**
 * The nonce length of NIST SP 800-38D, section 8.2.2. Random nonces never repeat for as few texts as there are users.
 */
const nonceBytes = 12;
const tagBytes = 16;

export function createSealKey(): Buffer {
	return randomBytes(sealKeyBytes);
}

/** Creates a seal with AES-256-GCM and a key of 32 bytes. */
export function createSeal(key: Uint8Array): Seal {
	return {
		encrypt(text, context) {
			const nonce = randomBytes(nonceBytes);
			const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
			const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
			return `${version}${Buffer.concat(sealed).toString('base64url')}`;
		},

		decrypt(sealed, context) {
			const bytes = Buffer.from(isSealed(sealed) ? sealed.slice(version.length) : '', 'base64url');
			if (bytes.length < nonceBytes + tagBytes) {
				throw new Error('A secret in the database is not sealed.');
			}

			const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {authTagLength: tagBytes})
				.setAAD(Buffer.from(context))
				.setAuthTag(bytes.subarray(-tagBytes));
			const text = [decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()];
			return Buffer.concat(text).toString('utf8');
		},

		derive: purpose => createHmac('sha256', key).update(purpose).digest(),
	};
}

/** Returns whether a text looks sealed. An authenticator secret is base32 and never does. */
export function isSealed(text: string): boolean {
	return text.startsWith(version);
}
