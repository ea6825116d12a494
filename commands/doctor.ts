import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {checksResult} from '../src/command/views/checks-view.ts';

export default command({
	name: 'doctor',
	summary: 'Check terminal, keys, server and sandbox; suggest fixes',
	args: z.object({bundle: z.optional(z.string())}),
	describe: {bundle: 'a new file for a bug report: checks, versions, settings, debug log; no keys'},
	examples: ['doctor', 'doctor --json', 'doctor --bundle report.json'],
	whileRunning: true,

	async run({bundle}, context) {
		const {
			program: {
				servers: {diagnose},
			},
			ui: {live},
		} = context;
		const checked = checksResult(await diagnose(), live ? 'app' : 'shell');
		if (bundle === undefined) {
			return checked;
		}

		const {writeBundle} = await import('../src/command/views/doctor-bundle.ts');
		return writeBundle(bundle, checked.data, context);
	},
});
