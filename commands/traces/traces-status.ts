import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';

export default command({
	name: 'status',
	summary: 'Show where traces go, and how many were sent',
	args: z.object({}),
	whileRunning: true,

	async run(
		_,
		{
			program: {
				servers: {traces},
			},
		},
	) {
		const {traceStatus} = await import('../../src/command/views/traces/trace-status.ts');
		return traceStatus(traces.status());
	},
});
