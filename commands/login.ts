import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {signIn} from '../src/command/sign-in.ts';
import {resolveProfile} from '../src/config/resolve-profile.ts';
import {AppError} from '../src/core/error.ts';
import {parseServerUrl} from '../src/core/origin.ts';
import {secret} from '../src/core/secret.ts';

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
		const {flags, config, env, interact, live} = context;
		const known =
			flags.server ?? resolveProfile({data: config.read(), env, flags: {...flags, profile: undefined}})?.server;
		const address = known ?? (live ? await interact.ask({label: 'Server:', masked: false}) : undefined);
		if (!address) {
			throw new AppError('usage', 'Which server?', {hint: 'Give it: login --server https://agents.example.com'});
		}

		const server = parseServerUrl(address);
		const key = apiKey ?? (await interact.ask({label: `API key of ${server.host}:`, masked: true}));
		if (!key?.trim()) {
			return {kind: 'text', text: 'Not logged in: no key was given.'};
		}

		const profile = await signIn(server, secret(key.trim()), context);
		return {
			kind: 'text',
			text: `Logged in to ${profile.server}${profile.name === server.host ? '' : ` as profile ${profile.name}`}.`,
			data: {profile: profile.name, server: profile.server},
		};
	},
});
