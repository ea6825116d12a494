import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {signIn} from '../src/command/sign-in.ts';
import {activateProfile, profileOfServer} from '../src/config/profiles.ts';
import {originOf, parseServerUrl} from '../src/core/origin.ts';
import {secret} from '../src/core/secret.ts';

export default command({
	name: 'connect',
	summary: 'Connect to a server; the conversation stays',
	args: z.object({url: z.string()}),
	positional: ['url'],
	describe: {url: 'its address; the stored login is used, or you are asked for an API key'},
	examples: ['connect https://agents.example.com', 'connect 127.0.0.1:8700'],
	whileRunning: true,

	async run({url}, context) {
		const {config, platform, interact, store, flags} = context;
		const server = parseServerUrl(url);
		const stored = flags.profile === undefined ? profileOfServer(config.read(), originOf(server.href)) : undefined;
		if (stored?.apiKey) {
			await platform.prove(stored.server, stored.apiKey, flags.insecureHttp);
			await activateProfile(config, stored.name);
			store.getState().setConnection({profile: stored.name, server: stored.server, state: 'ready'});
			return connected(stored.name, stored.server);
		}

		const key = await interact.ask({label: `API key of ${server.host}:`, masked: true});
		if (!key?.trim()) {
			return {kind: 'text', text: 'Nothing changed: no key was given.'};
		}

		const profile = await signIn(server, secret(key.trim()), context);
		return connected(profile.name, profile.server);
	},
});

function connected(profile: string, server: string) {
	return {kind: 'text', text: `Connected to ${server}.`, data: {profile, server}} as const;
}
