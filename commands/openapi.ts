import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {resolveProfile} from '../src/config/resolve-profile.ts';

export default command({
	name: 'openapi',
	summary: 'Print the API of the platform as an OpenAPI document',
	args: z.object({}),
	examples: ['openapi > openapi.json', 'openapi --server https://agents.example.com'],
	whileRunning: true,

	async run(_, {program, flags}) {
		const {openApiDocument} = await import('../src/contract/openapi.ts');
		// A document without a server describes the one that it was read from.
		const server = resolveProfile({data: program.local.config.read(), env: program.local.env, flags})?.server ?? '/';
		const data = openApiDocument({server});
		return {kind: 'lines', lines: JSON.stringify(data, undefined, 2).split('\n'), data};
	},
});
