import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import {helpOf, helpOfAll, helpOfEntry} from '../src/command/help.ts';
import {findCommand} from '../src/command/table.ts';

export default command({
	name: 'help',
	aliases: ['?'],
	summary: 'Show all commands, or what one of them does',
	args: z.object({command: z.optional(z.string())}),
	positional: ['command'],
	rest: true,
	describe: {command: 'a command, such as keys set'},
	whileRunning: true,

	run({command: name}, {entries, live}) {
		const inApp = live !== undefined;
		if (!name) {
			return helpOfAll(entries, inApp);
		}

		const words = name.replace(/^\//, '').split(/\s+/);
		const entry = entries.find(({name: own, aliases}) => own === words[0] || aliases?.includes(words[0] ?? ''));
		if (entry && words.length === 1) {
			return helpOfEntry(entry, inApp);
		}

		const {path, command: found} = findCommand(entries, words);
		return helpOf(path, found, inApp);
	},
});
