import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {keyGroup, lineKeys} from '../src/command/help-groups.ts';
import {isLineByLine} from '../src/command/line-by-line.ts';
import type {Result} from '../src/command/result.ts';

export default command({
	name: 'keys-help',
	summary: 'List the app’s keys, yours included, and conflicts',
	args: z.object({}),
	examples: ['keys-help'],
	whileRunning: true,

	async run(_, context) {
		const {
			ui: {live},
			program: {
				local: {settings, env},
			},
		} = context;
		if (live && isLineByLine(context)) {
			return lineKeyTable();
		}

		const {keyTable} = await import('../src/command/keymap/key-table.ts');
		return keyTable(settings, env);
	},
});

/** Returns the keys of the app without a screen: those of the screen, which do nothing there, would be read out for minutes. */
function lineKeyTable(): Result {
	return {
		kind: 'table',
		columns: [{label: 'key', whole: true}, {label: 'what it does'}],
		rows: lineKeys,
		groups: lineKeys.map(() => keyGroup),
		empty: '',
		notes: ['Lines are edited as in a shell. All commands: `help`', 'Keys of the app with a screen: `help keys`'],
		data: {keys: Object.fromEntries(lineKeys)},
	};
}
