import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';

export default command({
	name: 'quit',
	aliases: ['exit', 'q'],
	summary: 'Leave; the session stays and can be resumed',
	args: z.object({}),
	where: 'app',
	whileRunning: true,

	run: () => ({kind: 'quit'}),
});
