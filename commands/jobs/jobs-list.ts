import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'list',
	summary: 'List the commands in the background',
	args: z.object({}),
	examples: ['jobs'],
	where: 'app',
	whileRunning: true,

	run(
		_,
		{
			program: {
				session: {jobs},
			},
		},
	) {
		const all = jobs();
		return {
			kind: 'table',
			columns: [
				{label: 'job', whole: true},
				{label: 'command'},
				{label: 'state'},
				{label: 'last line', spare: true},
				{label: 'started', spare: true},
			],
			rows: all.map(({id, command: text, state, lastLine, startedAt}) => [
				id,
				text,
				state(),
				lastLine(),
				{at: new Date(startedAt).toISOString()},
			]),
			empty: 'No background jobs in this session. Ask the agent to run a command in the background.',
			data: all.map(({id, command: text, state, isRunning, startedAt}) => ({
				id,
				command: text,
				state: state(),
				running: isRunning(),
				started: new Date(startedAt).toISOString(),
			})),
		};
	},
});
