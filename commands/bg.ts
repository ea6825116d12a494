import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';

const send = command({
	name: 'send',
	summary: 'Send the run to the background and start a new session',
	args: z.object({}),
	whileRunning: true,
	where: 'app',

	run(_, {program}) {
		const {id} = program.session.background.send();
		const short = id.slice(0, 8);
		return {
			kind: 'text',
			text: `Session ${short} continues in the background. This is a new session.`,
			hint: `Bring it back: \`resume ${short}\``,
			data: {session: id},
		};
	},
});

export default noun({
	name: 'bg',
	summary: 'Send the run to the background and start a new session',
	verbs: [send],
	fallback: 'send',
});
