import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {askApiKey, signIn} from '../src/command/sign-in.ts';
import {entryOf} from '../src/config/config-data.ts';
import {resolveProfile} from '../src/config/resolve-profile.ts';
import {AppError} from '../src/core/error.ts';
import {parseServerUrl} from '../src/core/origin.ts';

export default command({
	name: 'login',
	summary: 'Log in to a server with an API key',
	args: z.object({apiKey: z.optional(z.string())}),
	positional: ['apiKey'],
	secret: 'apiKey',
	describe: {apiKey: 'better left out: it is asked for masked, or read from standard input'},
	examples: [
		'login --server https://agents.example.com',
		'login --server http://127.0.0.1:8700 --profile lab < key.txt',
	],
	whileRunning: true,

	async run({apiKey}, context) {
		const {flags, interact, live} = context;
		const known = flags.server ?? knownServer(context);
		const address = known ?? (live ? await interact.ask({label: 'Server:', masked: false}) : undefined);
		if (!address) {
			throw new AppError('usage', 'Which server?', {hint: 'Give it: `login --server https://agents.example.com`'});
		}

		const server = parseServerUrl(address);
		const key = await askApiKey(server, context, apiKey);
		if (!key) {
			return {kind: 'text', text: 'Nothing changed: no key was given.'};
		}

		const profile = await signIn(server, key, context);
		return {
			kind: 'text',
			text: `Logged in to ${profile.server}${profile.name === server.host ? '' : ` as profile ${profile.name}`}.`,
			data: {profile: profile.name, server: profile.server},
		};
	},
});

/** The server of the profile that is named, else that of the environment or of the active profile. */
function knownServer({config, env, flags}: CommandContext): string | undefined {
	const data = config.read();
	const name = flags.profile ?? env['SERVICE_PROFILE']?.trim();
	const named = name ? entryOf(data.profiles, name) : undefined;
	const others = {data, env: {...env, SERVICE_PROFILE: undefined}, flags: {...flags, profile: undefined}};
	return named?.server ?? resolveProfile(others)?.server;
}
