import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {askApiKey, signIn} from '../src/command/sign-in.ts';
import {entryOf} from '../src/config/config-data.ts';
import {activateProfile, profileOfServer} from '../src/config/profiles.ts';
import {originOf, parseServerUrl} from '../src/core/origin.ts';

export default command({
	name: 'connect',
	summary: 'Connect to a server; the conversation stays',
	args: z.object({url: z.string()}),
	positional: ['url'],
	describe: {url: 'its address; the stored login is used, or you are asked for an API key'},
	examples: ['connect https://agents.example.com', 'connect 127.0.0.1:8700'],
	whileRunning: true,

	async run({url}, context) {
		const {config, platform, store, flags, signal} = context;
		const server = parseServerUrl(url);
		const origin = originOf(server.href);
		const data = config.read();
		const found = flags.profile === undefined ? profileOfServer(data, origin) : entryOf(data.profiles, flags.profile);
		if (found?.apiKey && found.server === origin) {
			await platform.prove(origin, found.apiKey, {insecureHttp: flags.insecureHttp, signal});
			await activateProfile(config, found.name);
			store.getState().setConnection({profile: found.name, server: origin, state: 'ready'});
			return connected(found.name, origin);
		}

		const key = await askApiKey(server, context, undefined);
		if (!key) {
			return {kind: 'text', text: 'Nothing changed: no key was given.'};
		}

		const profile = await signIn(server, key, context);
		return connected(profile.name, profile.server);
	},
});

function connected(profile: string, server: string) {
	return {kind: 'text', text: `Connected to ${server}.`, data: {profile, server}} as const;
}
