import {createHmac, randomBytes, timingSafeEqual} from 'node:crypto';
import * as z from 'zod/mini';
import {parseJson} from '../../core/json.ts';
import type {Principal} from '../kit/authorize.ts';

/** The header with which a server passes a request on to the server of another machine. */
export const forwardHeader = 'x-service-forward';

/** The purpose for which the servers' shared key is derived. */
export const forwardPurpose = 'forwarded-requests';

/** How much the clocks of two servers may differ. */
export const maxClockDifferenceMs = 60_000;

/** A request that a server passes on, for a caller whom it has authenticated. */
export type Forward = {
	/** The id of the server that gets it, which changes with each of its starts. */
	readonly to: string;
	readonly method: string;
	/** Path and query, as they are sent. */
	readonly target: string;
	readonly caller: Principal;
};

const payloadSchema = z.object({
	to: z.string(),
	method: z.string(),
	target: z.string(),
	userId: z.string(),
	apiKeyId: z.nullable(z.string()),
	/** Milliseconds since the epoch. */
	at: z.number(),
	nonce: z.string(),
});

const nonceBytes = 16;

/** Returns the value of the header for a request: what it says and an HMAC of that, which no other request can use. */
export function signForward(key: Buffer, {to, method, target, caller}: Forward, now: Date): string {
	const payload: z.output<typeof payloadSchema> = {
		to,
		method,
		target,
		userId: caller.userId,
		apiKeyId: caller.apiKeyId,
		at: now.getTime(),
		nonce: randomBytes(nonceBytes).toString('base64url'),
	};
	const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
	return `${text}.${macOf(key, text).toString('base64url')}`;
}

function macOf(key: Buffer, text: string): Buffer {
	return createHmac('sha256', key).update(text).digest();
}

/** The caller of a request that another server passed on, or why it is refused. */
export type Verified = {readonly caller: Principal} | {readonly refusal: string};

export type VerifyForward = (header: string, request: {readonly method: string; readonly target: string}) => Verified;

type Options = {
	readonly key: Buffer;
	/** The id of this server. */
	readonly self: string;
	readonly now: () => Date;
};

/**
 * Creates the check of requests that other servers pass on to this one. Each is accepted once, within a minute, with the
 * method and the target that it was signed for. What was signed for an earlier start of this server is refused, too, so that
 * nonces need not outlast it.
 */
export function createForwardCheck({key, self, now}: Options): VerifyForward {
	/** The nonces of accepted requests with the times at which they were signed. */
	const seen = new Map<string, number>();
	/** The latest of those times of nonces that were dropped, in case the clock is set back. */
	let forgottenUntil = Number.NEGATIVE_INFINITY;
	return (header, {method, target}) => {
		const payload = readPayload(key, header);
		if (!payload) {
			return {refusal: 'This request was not signed by a server that shares the key of this one.'};
		}

		const nowMs = now().getTime();
		if (payload.to !== self) {
			return {refusal: 'This request was signed for another server, or for an earlier start of this one.'};
		}

		if (payload.method !== method || payload.target !== target) {
			return {refusal: 'This request is not the one that was signed.'};
		}

		if (Math.abs(nowMs - payload.at) > maxClockDifferenceMs || payload.at <= forgottenUntil) {
			return {
				refusal: `The clocks of the two servers differ by more than ${maxClockDifferenceMs / 1000} s, or the request is old.`,
			};
		}

		if (seen.has(payload.nonce)) {
			return {refusal: 'This request was already accepted once.'};
		}

		for (const [nonce, signedAt] of seen) {
			if (signedAt >= nowMs - maxClockDifferenceMs) {
				break;
			}

			seen.delete(nonce);
			forgottenUntil = Math.max(forgottenUntil, signedAt);
		}

		seen.set(payload.nonce, payload.at);
		return {caller: {userId: payload.userId, apiKeyId: payload.apiKeyId}};
	};
}

function readPayload(key: Buffer, header: string) {
	const [text = '', mac = '', ...more] = header.split('.');
	const [given, expected] = [Buffer.from(mac, 'base64url'), macOf(key, text)];
	if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
		return undefined;
	}

	return payloadSchema.safeParse(parseJson(Buffer.from(text, 'base64url').toString())).data;
}
