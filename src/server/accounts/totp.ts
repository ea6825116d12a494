import {Secret, TOTP} from 'otpauth';

/** The values that every authenticator app supports (RFC 6238, section 5.2 recommends both). */
const periodSeconds = 30;
const digits = 6;
/** 160 bits, as RFC 4226, section 4 recommends. */
const secretBytes = 20;
/** How many steps a code may be early or late: clocks differ, and typing takes time (RFC 6238, section 6). */
const driftSteps = 1;

type Enrolled = {
	/** In base32. */
	readonly secret: string;
	/** The step of the last accepted code. It and all earlier ones are used up (RFC 6238, section 5.2). */
	readonly lastStep: number | null;
};

/** Creates a secret for an authenticator app, in base32. */
export function createTotpSecret(): string {
	return new Secret({size: secretBytes}).base32;
}

/** Returns the URL that an authenticator app reads from a QR code. */
export function totpUrl(
	secret: string,
	{issuer, account}: {readonly issuer: string; readonly account: string},
): string {
	// A colon would end the issuer in the label.
	return totpOf(secret, {issuer: issuer.replaceAll(':', ' '), label: account.replaceAll(':', ' ')}).toString();
}

/**
 * Returns the step of a code that is valid now and not used up; undefined for any other. `nowMs` is in milliseconds
 * since the epoch.
 */
export function stepOfTotp(typed: string, {secret, lastStep}: Enrolled, nowMs: number): number | undefined {
	const token = typed.replace(/\s/g, '');
	if (!/^\d{6}$/.test(token)) {
		return undefined;
	}

	const delta = totpOf(secret).validate({token, timestamp: nowMs, window: driftSteps});
	const step = delta === null ? undefined : Math.floor(nowMs / 1000 / periodSeconds) + delta;
	return step !== undefined && step > (lastStep ?? -1) ? step : undefined;
}

function totpOf(secret: string, names: {readonly issuer?: string; readonly label?: string} = {}): TOTP {
	return new TOTP({...names, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits, period: periodSeconds});
}
