import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';

export default command({
	name: 'clear',
	summary: 'Start a new session on an empty screen',
	args: z.object({}),
	where: 'app',

	async run(_, {ui: {live}}) {
		await live?.start();
		return {kind: 'panel', panel: {show: 'clear'}};
	},
});
