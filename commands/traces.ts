import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';

const status = command({
	name: 'status',
	summary: 'Show where traces go, and how many were sent',
	args: z.object({}),
	whileRunning: true,

	async run(_, {program}) {
		const {traceStatus} = await import('../src/command/views/trace-status.ts');
		return traceStatus(program.servers.traces.status());
	},
});

const on = command({
	name: 'on',
	summary: 'Start sending traces of runs',
	args: z.object({content: z.optional(z.boolean())}),
	describe: {content: 'send prompts, answers, arguments and results too'},
	examples: ['traces on', 'traces on --content'],
	whileRunning: true,

	async run({content = false}, {program}) {
		const {traceStatus} = await import('../src/command/views/trace-status.ts');
		return traceStatus(await program.servers.traces.set(content ? 'content' : 'on'));
	},
});

const off = command({
	name: 'off',
	summary: 'Stop sending traces of runs',
	args: z.object({}),
	whileRunning: true,

	async run(_, {program}) {
		const {traceStatus} = await import('../src/command/views/trace-status.ts');
		return traceStatus(await program.servers.traces.set('off'));
	},
});

export default noun({
	name: 'traces',
	summary: 'Send traces of runs to the server or an OTLP endpoint',
	verbs: [status, on, off],
	fallback: 'status',
});
