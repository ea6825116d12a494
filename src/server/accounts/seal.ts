import {createCipheriv, createDecipheriv, createHmac, randomBytes} from 'node:crypto';

/** Encrypts secrets that the server must read again, so that the database alone (a dump or backup) doesn't reveal them. */
export type Seal = {
	/** Encrypts a text for one place, such as a field of one row; it opens nowhere else. */
	readonly close: (text: string, place: string) => string;
	/** Throws for what was not closed with this key for this place, and for what was changed since: a bug's error. */
	readonly open: (sealed: string, place: string) => string;
	/** Another key, of 32 bytes, for one purpose: it tells nothing of this one, nor of those for other purposes. */
	readonly derive: (purpose: string) => Buffer;
};

export const sealKeyBytes = 32;

/** What every sealed text begins with: the way in which it was. */
const version = 'v1.';

const algorithm = 'aes-256-gcm';
/** As NIST SP 800-38D section 8.2.2 has it for a random one, which never repeats in as many texts as there are users. */
const nonceBytes = 12;
const tagBytes = 16;

export function makeSealKey(): Buffer {
	return randomBytes(sealKeyBytes);
}

/** AES-256-GCM with a key of 32 bytes. */
export function createSeal(key: Uint8Array): Seal {
	return {
		close(text, place) {
			const nonce = randomBytes(nonceBytes);
			const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(place));
			const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
			return `${version}${Buffer.concat(sealed).toString('base64url')}`;
		},

		open(sealed, place) {
			const bytes = Buffer.from(isSealed(sealed) ? sealed.slice(version.length) : '', 'base64url');
			if (bytes.length < nonceBytes + tagBytes) {
				throw new Error('What should be sealed is not.');
			}

			const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {authTagLength: tagBytes})
				.setAAD(Buffer.from(place))
				.setAuthTag(bytes.subarray(-tagBytes));
			const text = [decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()];
			return Buffer.concat(text).toString('utf8');
		},

		derive: purpose => createHmac('sha256', key).update(purpose).digest(),
	};
}

/** Whether a text is sealed, by its looks. A secret of an authenticator app is base32, and never looks so. */
export function isSealed(text: string): boolean {
	return text.startsWith(version);
}
