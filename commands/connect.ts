import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {connectTo, goBack} from '../src/platform/connect.ts';

export default command({
	name: 'connect',
	summary: 'Connect to a server and keep the conversation',
	args: z.object({url: z.string()}),
	positional: ['url'],
	completes: {url: 'server'},
	describe: {url: 'its address, or - for the previous server; uses the stored login or asks you to log in'},
	examples: ['connect https://agents.example.com', 'connect 127.0.0.1:8700', 'connect -'],
	whileRunning: true,

	async run({url}, context) {
		return url === '-' ? goBack(context) : connectTo(url, context);
	},
});
