import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {traceStatus} from '../../src/command/views/traces/trace-status.ts';

export default command({
	name: 'status',
	summary: 'Show where traces go, and how many were sent',
	args: z.object({}),
	whileRunning: true,

	run(_, {traces}) {
		return traceStatus(traces.status());
	},
});
