import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {entryOf} from '../src/core/entry-of.ts';
import {AppError} from '../src/core/error.ts';
import {identityOf} from '../src/platform/identity.ts';

export default command({
	name: 'whoami',
	summary: 'Show the server, profile, scope and source of the login',
	args: z.object({wire: z.optional(z.boolean())}),
	describe: {wire: 'list every stored secret (masked) and the address it may go to; sends nothing'},
	examples: ['whoami --json', 'whoami --wire'],
	whileRunning: true,

	async run({wire}, context) {
		const {identityResult} = await import('../src/command/views/identity-view.ts');
		const {wireResult} = await import('../src/command/views/identity-view.ts');
		if (wire) {
			return wireResult(context);
		}

		const {
			program: {
				local: {config},
				servers: {platform},
			},
			flags,
			signal,
		} = context;
		const identity = identityOf(context);
		if (!identity) {
			throw new AppError('auth', 'You are not logged in.', {
				hint: 'Chatting works without a login. Log in: `login --server <url>`',
			});
		}

		if ('embedded' in identity) {
			const {embedded} = identity;
			return {
				kind: 'record',
				fields: [
					['profile', 'local'],
					['server', embedded],
					['credential', 'created for this run'],
				],
				data: {profile: 'local', server: embedded, credential: 'embedded'},
			};
		}

		const {name, server, keySource, tokens, notice} = identity;
		if (!keySource) {
			throw new AppError('auth', `You are not logged in to ${server}.`, {
				hint: notice ?? `Log in: \`login --server ${server}\``,
			});
		}

		const logins = await platform.logins();
		const user = await logins.proveLogin(identity, {insecureHttp: flags.insecureHttp, signal});
		// The check may have renewed the login.
		const stored = tokens && entryOf(config.read().profiles, name);
		return identityResult({...identity, user}, stored?.expiresAt ?? tokens?.expiresAt);
	},
});
