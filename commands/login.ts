import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {unchanged} from '../src/command/result.ts';
import {resolveProfile} from '../src/config/resolve-profile.ts';
import {entryOf} from '../src/core/entry-of.ts';
import {AppError} from '../src/core/error.ts';
import {isUrl, originOf, parseServerUrl, profileNameOf} from '../src/core/origin.ts';
import {cancelledLogin, logIn} from '../src/platform/log-in.ts';

export default command({
	name: 'login',
	summary: 'Log in to a server with the browser or an API key',
	args: z.object({apiKey: z.optional(z.string()), withToken: z.optional(z.boolean())}),
	positional: ['apiKey'],
	secret: 'apiKey',
	describe: {
		apiKey: 'omit it to log in through the browser, if the server supports that; a URL is the server',
		withToken: 'ask for an API key (masked), or read it from stdin',
	},
	examples: [
		'login --server https://agents.example.com',
		'login --server http://127.0.0.1:8700 --profile lab --with-token < key.txt',
	],
	whileRunning: true,

	async run({apiKey: given, withToken}, context) {
		const {
			flags,
			ui: {interact, live},
		} = context;
		const isAddress = given !== undefined && isUrl(given);
		if (isAddress && flags.server) {
			throw new AppError('usage', 'A URL is not an API key.', {hint: 'Leave it out, or pass the key.'});
		}

		const apiKey = isAddress ? undefined : given;
		const known = isAddress ? given : (flags.server ?? knownServer(context));
		const address =
			known ??
			(live ? await interact.ask({label: 'Server, such as https://agents.example.com:', masked: false}) : undefined);
		if (address === undefined && live) {
			return unchanged;
		}

		if (!address) {
			throw new AppError('usage', 'No server given.', {hint: 'Pass it: `login --server https://agents.example.com`'});
		}

		const server = parseServerUrl(address);
		const profile = await logIn(server, context, {key: apiKey, withToken});
		if (!profile) {
			return cancelledLogin(originOf(server.href));
		}

		const done = `Logged in to ${profile.server}${profile.name === profileNameOf(server) ? '' : ` as profile ${profile.name}`}.`;
		return {
			kind: 'text',
			text: [done, profile.storedWhere].filter(Boolean).join(' '),
			data: {profile: profile.name, server: profile.server},
		};
	},
});

/** Returns the server of the named profile, else that of the environment or of the active profile. */
function knownServer({program, flags}: CommandContext): string | undefined {
	const data = program.local.config.read();
	const name = flags.profile ?? program.local.env['SERVICE_PROFILE']?.trim();
	const named = name ? entryOf(data.profiles, name) : undefined;
	const others = {data, env: {...program.local.env, SERVICE_PROFILE: undefined}, flags: {...flags, profile: undefined}};
	return named?.server ?? resolveProfile(others)?.server;
}
