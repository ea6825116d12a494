import {shellLine} from '../core/program-name.ts';
import {fieldsOf, flagOf, usageOf} from './arguments.ts';
import {type Command, type Entry, isNoun} from './context.ts';
import {type Flag, flagUsage, globalFlags, runFlags} from './flags.ts';
import type {Result} from './result.ts';
import {allCommands} from './table.ts';
import {topics} from './topics/topics.ts';

/** Returns the help of one command: usage, arguments, examples, as typed in the app or in a shell. */
export function helpOf(path: string, command: Command, isInApp: boolean): Result {
	const {summary, args, positional, describe = {}, aliases = []} = command;
	const inApp = worksInApp(command, isInApp);
	const places = new Set(positional);
	const usage = usageOf(path, command);
	const described = fieldsOf(args).flatMap(({name}) =>
		describe[name] ? [[places.has(name) ? `<${flagOf(name)}>` : `--${flagOf(name)}`, describe[name]] as const] : [],
	);
	const shown = examplesOf(path, command, inApp);
	const line = (words: string) => (inApp ? `/${words}` : shellLine(words));
	const parts: Result[] = [
		{kind: 'text', text: `${summary}.`},
		...(inApp === isInApp ? [] : [elsewhere(inApp)]),
		{kind: 'text', text: `Usage: ${line(usage)}`},
		...(described.length > 0 ? [{kind: 'record', fields: described, data: null} as const] : []),
		...(aliases.length > 0 ? [{kind: 'text', text: `Also: ${aliases.join(', ')}`} as const] : []),
		...(shown.length > 0 ? [{kind: 'lines', lines: shown.map(line)} as const] : []),
		...(inApp ? [] : [{kind: 'text', text: everyFlag()} as const]),
	];
	return {kind: 'group', parts, data: {command: path, summary, usage}};
}

/** Returns true if a command is typed in the app. */
const worksInApp = ({where}: Command, isInApp: boolean) => (where ? where === 'app' : isInApp);

const elsewhere = (inApp: boolean) =>
	({kind: 'text', text: inApp ? 'Works inside the app only.' : 'Works in a shell only.'}) as const;

const everyFlag = () => `${shellLine('--help')} lists the flags of every command, such as --json.`;

/** Returns the help of the program: its commands in the order of the table and, in a shell, its flags. */
export function helpOfAll(entries: readonly Entry[], inApp: boolean): Result {
	const commands = commandTable(entries, inApp);
	return inApp
		? {...commands, notes: [appHelp, topicNames, ...keyHelp]}
		: {
				kind: 'group',
				parts: [
					{...commands, notes: ['Run `$ <command> --help` for details.', 'Start the app: `$`, or `$ "first prompt"`']},
					flagTable('Flags without a command', Object.values(runFlags)),
					flagTable('Flags of every command', Object.values(globalFlags)),
					topicTable(),
				],
				data: commands.data,
			};
}

/** Returns a table with one line for each command that can run here. */
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
		opens: {words: ['help'], ids: shown.map(({path}) => path)},
		data: shown.map(({path, command}) => ({command: path, summary: command.summary, usage: usageOf(path, command)})),
	} as const;
}

const appHelp = '/help <command> for details. Text without / is sent to the agent.';
const topicNames = `/help <topic> for more: ${topics.map(({name}) => name).join(', ')}.`;

function topicTable(): Result {
	return {
		kind: 'table',
		title: 'Topics',
		columns: [{label: ''}, {label: ''}],
		rows: topics.map(({name, summary}) => [`help ${name}`, summary]),
		empty: '',
		data: null,
	};
}

function flagTable(title: string, flags: readonly Flag[]): Result {
	return {
		kind: 'table',
		title,
		columns: [{label: ''}, {label: ''}],
		rows: flags.map(flag => [flagUsage(flag), flag.summary]),
		empty: '',
		data: null,
	};
}

const keyHelp = [
	'Enter send · \\+Enter new line · Esc interrupt · Ctrl+C twice quit',
	'@path attach a file · !command run it in your shell · Ctrl+V paste an image',
	'Ctrl+O transcript · Ctrl+R history · Ctrl+G log viewer · Alt+L log panel',
];

/** Returns the help of one entry of the table: a command, or a noun with its verbs and an example of each. */
export function helpOfEntry(entry: Entry, isInApp: boolean): Result {
	if (!isNoun(entry)) {
		return helpOf(entry.name, entry, isInApp);
	}

	const isHere = entry.verbs.some(verb => worksInApp(verb, isInApp) === isInApp);
	const inApp = isHere ? isInApp : !isInApp;
	const {title, ...table} = commandTable([entry], inApp);
	const line = (words: string) => (inApp ? `/${words}` : shellLine(words));
	const examples = entry.verbs
		.filter(verb => worksInApp(verb, inApp) === inApp)
		.flatMap(verb => examplesOf(`${entry.name} ${verb.name}`, verb, inApp).slice(0, 1))
		.map(line);
	const alone = entry.fallback ? ` ${line(entry.name)} alone is ${entry.name} ${entry.fallback}.` : '';
	const more = line(inApp ? `help ${entry.name} <verb>` : `${entry.name} <verb> --help`);
	const parts: readonly Result[] = [
		{kind: 'text', text: `${entry.summary}.`},
		...(isHere ? [] : [elsewhere(inApp)]),
		table,
		...(examples.length > 0 ? [{kind: 'lines', lines: examples} as const] : []),
		{kind: 'text', text: `${more} for details.${alone}`},
	];
	return {kind: 'group', parts, data: table.data};
}

/**
 * Returns example lines of a command; a command that needs no argument is its own example. The app leaves out examples that
 * only a shell understands.
 */
export function examplesOf(path: string, {args, examples}: Command, inApp: boolean): readonly string[] {
	const needsNone = fieldsOf(args).every(({required}) => !required);
	return examplesIn(examples ?? (needsNone ? [path] : []), inApp);
}

function examplesIn(examples: readonly string[], inApp: boolean): readonly string[] {
	return inApp ? examples.filter(example => !/[<>|]/.test(example)) : examples;
}
