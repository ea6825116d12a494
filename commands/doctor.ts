import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import type {Result} from '../src/command/result.ts';
import {type CommandPlace, nameCommands} from '../src/core/command-words.ts';
import {formatAmount} from '../src/core/format.ts';
import type {Check} from '../src/doctor/check.ts';

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
		const checked = doctorResult(await diagnose(), live ? 'app' : 'shell');
		if (bundle === undefined) {
			return checked;
		}

		const {writeBundle} = await import('../src/command/views/doctor-bundle.ts');
		return writeBundle(bundle, checked.data, context);
	},
});

const signs = {good: '✓', note: '·', fault: '✗'} as const;

/**
 * Returns what was checked, each with what to do about it, and a line that counts the faults. Commands in it are named as
 * typed in `place`.
 */
function doctorResult(found: readonly Check[], place: CommandPlace): Extract<Result, {kind: 'group'}> {
	const checks = found.map(({fix, ...check}) => ({...check, fix: fix === undefined ? null : nameCommands(fix, place)}));
	const faults = checks.filter(({state}) => state === 'fault').length;
	return {
		kind: 'group',
		parts: [
			{
				kind: 'record',
				fields: checks.map(({name, state, finding, fix}) => [
					`${signs[state]} ${name}`,
					fix ? `${finding}\n→ ${fix}` : finding,
				]),
				data: null,
			},
			{kind: 'text', text: summary(faults)},
		],
		data: {
			ok: faults === 0,
			checks: checks.map(({name, state, finding, fix}) => ({name, state, finding, fix})),
		},
	};
}

function summary(faults: number): string {
	return faults === 0 ? 'Nothing is broken.' : `${formatAmount(faults, 'fault')}.`;
}
