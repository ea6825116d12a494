import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';

export default command({
	name: 'clear',
	summary: 'Wipe the screen and the scrollback; the session goes on',
	args: z.object({}),
	where: 'app',

	run: () => ({kind: 'panel', panel: {show: 'clear'}}),
});
