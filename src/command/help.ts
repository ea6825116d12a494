import {fieldsOf, flagOf, usageOf} from './arguments.ts';
import {type Command, type Entry, isNoun} from './command.ts';
import {globalFlagHelp} from './global-flags.ts';
import type {Result} from './result.ts';
import {type FlagHelp, runFlagHelp} from './run-flags.ts';
import {allCommands} from './table.ts';

/** Help of one command: usage, arguments, examples. */
export function helpOf(path: string, command: Command): Result {
	const described = fieldsOf(command.args).filter(({name}) => command.describe?.[name]);
	const width = Math.max(0, ...described.map(({name}) => flagOf(name).length + 4));
	const places = new Set(command.positional);
	const lines = [
		`${command.summary}.`,
		'',
		`Usage: ${usageOf(path, command)}`,
		...(described.length > 0 ? [''] : []),
		...described.map(({name}) => {
			const label = places.has(name) ? `<${flagOf(name)}>` : `--${flagOf(name)}`;
			return `  ${label.padEnd(width)}  ${command.describe?.[name]}`;
		}),
		...(command.aliases?.length ? ['', `Also: ${command.aliases.join(', ')}`] : []),
		...(command.examples?.length ? ['', 'Examples:', ...command.examples.map(example => `  service ${example}`)] : []),
	];
	return {kind: 'lines', lines, data: {command: path, summary: command.summary, usage: usageOf(path, command)}};
}

/** Help of the program: its commands in the order of the table and, in a shell, its flags. */
export function helpOfAll(entries: readonly Entry[], inApp: boolean): Result {
	const commands = commandTable(entries, inApp);
	return inApp
		? {...commands, notes: ['/help <command> says more. Anything without a slash goes to the agent.', keyHelp]}
		: {
				kind: 'group',
				parts: [
					{...commands, notes: ['service <command> --help says more. Without a command the app starts.']},
					flagTable('Flags without a command', Object.values(runFlagHelp)),
					flagTable('Flags of every command', globalFlagHelp),
				],
				data: commands.data,
			};
}

/** One line for each command that can run here. */
function commandTable(entries: readonly Entry[], inApp: boolean) {
	const elsewhere = inApp ? 'shell' : 'app';
	const shown = allCommands(entries).filter(({command}) => command.where !== elsewhere);
	const slash = inApp ? '/' : '';
	return {
		kind: 'table',
		title: 'Commands',
		columns: [{label: 'command'}, {label: 'what it does'}],
		rows: shown.map(({path, command}) => [slash + path, command.summary]),
		empty: '',
		data: shown.map(({path, command}) => ({command: path, summary: command.summary, usage: usageOf(path, command)})),
	} as const;
}

function flagTable(title: string, flags: readonly FlagHelp[]): Result {
	return {
		kind: 'table',
		title,
		columns: [{label: ''}, {label: ''}],
		rows: flags.map(({usage, summary}) => [usage, summary]),
		empty: '',
		data: null,
	};
}

const keyHelp = 'Enter sends · \\+Enter breaks the line · Esc interrupts · Tab completes · Ctrl+C twice quits';

/** Help of one entry of the table: a command, or a noun with its verbs. */
export function helpOfNoun(entry: Entry, inApp: boolean): Result {
	return isNoun(entry) ? commandTable([entry], inApp) : helpOf(entry.name, entry);
}
