import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {doctorResult} from '../src/command/doctor/doctor-view.ts';

export default command({
	name: 'doctor',
	summary: 'Check terminal, keys, server and sandbox; name the fixes',
	args: z.object({}),
	examples: ['doctor', 'doctor --json'],
	whileRunning: true,

	async run(_, {diagnose, live}) {
		return doctorResult(await diagnose(), live ? 'app' : 'shell');
	},
});
