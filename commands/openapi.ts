import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';

export default command({
	name: 'openapi',
	summary: 'Print the API of the platform as an OpenAPI document',
	args: z.object({file: z.optional(z.string())}),
	positional: ['file'],
	describe: {file: 'a new file; without it a shell prints the document, the app keeps a file outside the project'},
	examples: ['openapi > openapi.json', 'openapi --server https://agents.example.com'],
	whileRunning: true,

	async run({file}, context) {
		const {openApiResult} = await import('../src/command/views/openapi-view.ts');
		return openApiResult(file, context);
	},
});
