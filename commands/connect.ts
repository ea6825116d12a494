import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {connectTo, connectToEmbedded, goBack, isEmbedded} from '../src/platform/connect.ts';

export default command({
	name: 'connect',
	summary: 'Connect to a server and keep the conversation',
	args: z.object({url: z.string()}),
	positional: ['url'],
	completes: {url: 'server'},
	asks: {url: 'Server, such as https://agents.example.com:'},
	describe: {
		url: 'its address, - for the previous server, or local for the built-in one; uses the stored login or asks for one',
	},
	examples: ['connect https://agents.example.com', 'connect 127.0.0.1:8700', 'connect -'],
	whileRunning: true,

	async run({url}, context) {
		if (url === '-') {
			return goBack(context);
		}

		return isEmbedded(url, context) ? connectToEmbedded(context) : connectTo(url, context);
	},
});
