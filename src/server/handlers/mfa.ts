import {requireSecondFactor} from '../accounts/browser-session.ts';
import {verifyEnrollment} from '../accounts/second-factor.ts';
import {reject} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';

export const mfaHandlers = {
	/**
	 * Finishes an enrollment started on the page. Only this response contains the recovery codes. A password
	 * alone opened the browser sessions, so that they need the second factor from then on.
	 */
	async verifyMfaEnrollment({body: {code}}, {principal, services}) {
		const result = await verifyEnrollment(services, principal.userId, code);
		switch (result.kind) {
			case 'enrolled':
				await requireSecondFactor(services, principal.userId);
				return {recovery_codes: [...result.recoveryCodes]};
			case 'not-started':
				return reject(
					409,
					`No enrollment is waiting for a code. Start one at ${services.publicUrl()}/account/second-factor.`,
				);
			case 'wait':
				return reject(429, `Too many attempts. Try again in ${result.seconds} s.`, {
					headers: {'retry-after': String(result.seconds)},
				});
			case 'wrong':
				return reject(400, 'That code is wrong. Enter the current one from the app.', {type: 'token_error'});
		}
	},
} satisfies Partial<Handlers>;
