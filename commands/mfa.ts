import * as z from 'zod/mini';
import {refusalOf} from '../src/client/refusal.ts';
import {command, noun} from '../src/command/command.ts';
import {unchanged} from '../src/command/result.ts';
import {AppError} from '../src/core/error.ts';

const where = 'Save the recovery codes to a new file (leave blank to skip):';

/** Throws what a user can do if the code is wrong or no enrollment waits for it, else the error itself. */
function explain(error: unknown): never {
	const refused = refusalOf(error);
	if (refused?.status === 400) {
		throw new AppError('failed', `The server rejected the code${refused.detail ? `: ${refused.detail}` : ''}.`, {
			hint: 'Run `mfa verify` again with the next code of your app.',
			cause: error,
		});
	}

	if (refused?.status !== 409) {
		throw error;
	}

	throw new AppError('conflict', `${refused.detail ?? 'No enrollment is waiting for a code'}.`, {
		hint: 'Set up your app in the browser first, then run `mfa verify`.',
		cause: error,
	});
}

const verify = command({
	name: 'verify',
	summary: 'Turn on two-factor login with a code from your app',
	args: z.object({code: z.optional(z.string()), save: z.optional(z.string())}),
	positional: ['code'],
	secret: 'code',
	describe: {
		code: 'omit it: you are asked for it (masked), or it is read from stdin',
		save: 'a new file for the recovery codes, readable by you only',
	},
	examples: ['mfa verify', 'mfa verify --save recovery-codes.txt'],
	whileRunning: true,

	async run({code, save}, {program, ui: {interact, live}, signal}) {
		const {recoveryCodes} = await import('../src/command/views/recovery-codes-view.ts');
		const {client} = await program.servers.open();
		// Asked first: a code is valid for half a minute, and no question may come between it and the recovery codes.
		const file = save ?? (live ? await interact.ask({label: where, masked: false, optional: true}) : '');
		if (file === undefined) {
			return unchanged;
		}

		const typed = code ?? (await interact.ask({label: 'Code from your authenticator app:', masked: true}));
		if (!typed?.trim()) {
			return {...unchanged, text: 'No code given. Nothing changed.'};
		}

		// Apps show six digits in two groups.
		const plain = /^[\d\s]+$/.test(typed) ? typed.replace(/\s/g, '') : typed.trim();
		const enrollment = await client.verifyMfaEnrollment({body: {code: plain}}, signal).catch(explain);
		return recoveryCodes(enrollment, {
			save: file.trim() || undefined,
			writeFile: program.files.write,
			say: interact.say,
		});
	},
});

export default noun({name: 'mfa', summary: 'Two-factor authentication of your account', verbs: [verify]});
