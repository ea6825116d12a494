import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';

export default command({
	name: 'quit',
	aliases: ['exit', 'q'],
	summary: 'Quit; you can resume the session later',
	args: z.object({}),
	where: 'app',
	whileRunning: true,

	run: () => ({kind: 'quit'}),
});
