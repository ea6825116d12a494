import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {isLineByLine} from '../src/command/line-by-line.ts';

export default command({
	name: 'queue',
	summary: 'Edit, reorder, remove or send messages that wait',
	args: z.object({}),
	where: 'app',
	whileRunning: true,

	run(_, context) {
		const {queue} = context.program.store.getState();
		if (queue.length === 0) {
			return {kind: 'text', text: 'No message waits. One that you send during a run waits for its next turn.'};
		}

		return isLineByLine(context)
			? {kind: 'lines', lines: queue.map(({text}, index) => `${index + 1}. ${text.replace(/\s+/g, ' ')}`)}
			: {kind: 'panel', panel: {show: 'queue'}};
	},
});
