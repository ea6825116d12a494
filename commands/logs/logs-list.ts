import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {formatNumber} from '../../src/core/format.ts';
import {describeState} from '../../src/logs/tail-state.ts';

export default command({
	name: 'list',
	summary: 'List the logs that you follow',
	args: z.object({}),
	examples: ['logs'],
	where: 'app',
	whileRunning: true,

	run(_, {program: {store}}) {
		const {logs} = store.getState();
		const rows = logs.map(({title, environment, state, lines, unread, openedAt}) => [
			title,
			environment,
			describeState(state, Date.now()),
			formatNumber(lines),
			formatNumber(unread),
			{at: new Date(openedAt).toISOString()},
		]);
		return {
			kind: 'table',
			columns: [
				{label: 'log'},
				{label: 'environment', whole: true},
				{label: 'state'},
				{label: 'lines', align: 'right', spare: true},
				{label: 'unread', align: 'right', spare: true},
				{label: 'opened', spare: true},
			],
			rows,
			empty: 'No open logs. Open one: `env logs <id>`',
			data: logs.map(({title, environment, server, state, lines, gaps, unread}) => ({
				title,
				environment,
				server,
				state: state.name,
				lines,
				gaps,
				unread,
			})),
		};
	},
});
