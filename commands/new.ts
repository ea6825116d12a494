import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';

export default command({
	name: 'new',
	summary: 'Start a new session; the current one stays saved',
	args: z.object({}),
	where: 'app',

	async run(_, {ui: {live}}) {
		await live?.start();
		return {kind: 'text', text: 'New session.'};
	},
});
