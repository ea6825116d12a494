import {shellLine} from '../core/program-name.ts';
import {noOwnKeys} from '../editor/keymap/keymap.ts';
import {fieldsOf, flagOf, usageOf} from './arguments.ts';
import {type Command, type Entry, isNoun, verbOfAlias} from './context.ts';
import {type Flag, globalFlags, runFlags} from './flags.ts';
import {type HelpKeys, helpGroupOf, helpGroups, helpKeys, keyGroup, topicGroup} from './help-groups.ts';
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

/** Returns the help of the program: its commands in groups and, in the app, topics and keys; in a shell, flags. */
export function helpOfAll(entries: readonly Entry[], inApp: boolean, keys = helpKeys(noOwnKeys)): Result {
	return inApp
		? tableOf('Commands', rowsOfAll(entries, inApp, keys), [appHelp])
		: {
				kind: 'group',
				parts: [
					{kind: 'lines', lines: usages()},
					dailyTable(entries),
					tableOf(
						'More commands',
						commandRows(entries, inApp).filter(({name}) => !dailyCommands.includes(name)),
						['Run `$ <command> --help` for details, and `$ help <word>` to search.'],
					),
					...Object.entries(flagGroups()).map(([title, flags]) => flagTable(title, flags)),
					tableOf('Topics', topicRows(inApp), []),
				],
				data: dataOf(commandRows(entries, inApp)),
			};
}

/** Returns the ways to call the program. */
function usages(): readonly string[] {
	const ways = [
		['["first prompt"]', 'start the app'],
		['-p "prompt"', 'answer once, for scripts'],
		['<command> [--help]', 'run a command'],
	] as const;
	const width = Math.max(...ways.map(([words]) => shellLine(words).length));
	return ways.map(([words, does], index) => {
		return `${index === 0 ? 'Usage:' : '      '} ${shellLine(words).padEnd(width)}  ${does}`;
	});
}

/** What most people use every day. */
const dailyFlags = ['prompt', 'continue', 'resume', 'model', 'approve'] as const;
const dailyCommands: readonly string[] = ['keys set', 'model use', 'session saved', 'login', 'env create'];

function dailyTable(entries: readonly Entry[]): Result {
	const all = commandRows(entries, false);
	const rows = dailyCommands.flatMap(daily => all.filter(({name}) => name === daily));
	return {
		kind: 'table',
		title: 'Every day',
		columns: [{label: ''}, {label: ''}],
		rows: [
			...dailyFlags.map(key => [flagUsage(runFlags[key]), runFlags[key].summary]),
			...rows.map(({name, summary}) => [name, summary]),
		],
		empty: '',
		data: null,
	};
}

/** Returns the other flags, by what they belong to. */
function flagGroups(): Readonly<Record<string, readonly Flag[]>> {
	const others = Object.entries(runFlags).filter(([key]) => !dailyFlags.some(daily => daily === key));
	const flagsOf = (needsPrint: boolean) =>
		others.flatMap(([, flag]) => ((flag.needsPrint === true) === needsPrint ? [flag] : []));
	return {
		'Flags of -p': flagsOf(true),
		'Flags without a command': flagsOf(false),
		'Flags of every command': Object.values(globalFlags),
	};
}

/** Returns what the help has about some words, all of which must stand in a row; undefined if nothing does. */
export function helpAbout(
	words: readonly string[],
	entries: readonly Entry[],
	inApp: boolean,
	keys = helpKeys(noOwnKeys),
): Result | undefined {
	// A part of a word says nothing, and a letter less: `x` is in every other row.
	const wanted = words.map(word => ` ${word.toLowerCase().replace(/^[^\p{L}\p{N}]+/u, '')}`);
	const found = rowsOfAll(entries, inApp, keys).filter(({searched}) => {
		const begins = ` ${searched.replace(/[^\p{L}\p{N}]+/gu, ' ')} ${searched}`;
		return wanted.every(word => word.length > 2 && begins.includes(word));
	});
	const hint = inApp ? appHelp : 'Run `$ <command> --help` for details.';
	return found.length > 0 ? tableOf(`Help about “${words.join(' ')}”`, found, [hint]) : undefined;
}

type HelpRow = {
	readonly name: string;
	readonly summary: string;
	readonly group: string;
	/** What `help` shows about the row. */
	readonly about: string;
	/** What is searched, in lower case. */
	readonly searched: string;
	readonly data?: {readonly command: string; readonly summary: string; readonly usage: string};
};

function rowsOfAll(entries: readonly Entry[], inApp: boolean, keys: HelpKeys): readonly HelpRow[] {
	const keyRows = inApp ? keys.map(([key, does]) => rowOf(key, does, keyGroup, 'keys')) : [];
	return [...commandRows(entries, inApp), ...topicRows(inApp), ...keyRows];
}

function rowOf(name: string, summary: string, group: string, about: string): HelpRow {
	return {name, summary, group, about, searched: `${name} ${summary} ${group}`.toLowerCase()};
}

function topicRows(inApp: boolean): readonly HelpRow[] {
	return topics.map(({name, summary}) => rowOf(`${inApp ? '/' : ''}help ${name}`, summary, topicGroup, name));
}

/** Returns a row for each command that can run here, by groups. */
function commandRows(entries: readonly Entry[], inApp: boolean): readonly HelpRow[] {
	const elsewhere = inApp ? 'shell' : 'app';
	const rows = allCommands(entries)
		.filter(({command}) => command.where !== elsewhere)
		.map(({path, command}): HelpRow => {
			const {summary, describe = {}, aliases = [], textFor} = command;
			const row = rowOf((inApp ? '/' : '') + path, summary, helpGroupOf(path, textFor !== undefined), path);
			const more = [...aliases, ...Object.entries(describe).flat()].join(' ').toLowerCase();
			return {
				...row,
				searched: `${row.searched} ${more}`,
				data: {command: path, summary, usage: usageOf(path, command)},
			};
		});
	return helpGroups.flatMap(group => rows.filter(row => row.group === group));
}

function tableOf(title: string, rows: readonly HelpRow[], notes: readonly string[]) {
	const groups = rows.map(({group}) => group);
	return {
		kind: 'table',
		title,
		columns: [{label: 'command'}, {label: 'what it does'}],
		rows: rows.map(({name, summary}) => [name, summary]),
		...(groups.some(group => group !== title) && {groups}),
		empty: '',
		notes,
		opens: {words: ['help'], ids: rows.map(({about}) => about)},
		data: dataOf(rows),
	} as const;
}

const dataOf = (rows: readonly HelpRow[]) => rows.flatMap(({data, group}) => (data ? [{...data, group}] : []));

const appHelp = '/help <command or topic> for details. Text without / is sent to the agent.';

/** Returns a flag as help shows it: `-r, --resume [id]`. */
export function flagUsage({names, value}: Flag): string {
	return [names.join(', '), value].filter(Boolean).join(' ');
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

/** Returns the help of one entry of the table: a command, or a noun with its verbs and an example of each. */
export function helpOfEntry(entry: Entry, isInApp: boolean): Result {
	if (!isNoun(entry)) {
		return helpOf(entry.name, entry, isInApp);
	}

	const isHere = entry.verbs.some(verb => worksInApp(verb, isInApp) === isInApp);
	const inApp = isHere ? isInApp : !isInApp;
	const {title, groups, notes, ...table} = tableOf('', commandRows([entry], inApp), []);
	const line = (words: string) => (inApp ? `/${words}` : shellLine(words));
	const examples = entry.verbs
		.filter(verb => worksInApp(verb, inApp) === inApp)
		.flatMap(verb => examplesOf(`${entry.name} ${verb.name}`, verb, inApp).slice(0, 1))
		.map(line);
	const alone = entry.fallback ? ` ${line(entry.name)} alone is ${entry.name} ${entry.fallback}.` : '';
	const aliases = (entry.aliases ?? []).flatMap(alias => {
		const verb = verbOfAlias(entry, alias);
		return verb && worksInApp(verb, inApp) === inApp ? `\n${line(alias)} alone is ${entry.name} ${verb.name}.` : [];
	});
	const more = line(inApp ? `help ${entry.name} <verb>` : `${entry.name} <verb> --help`);
	const parts: readonly Result[] = [
		{kind: 'text', text: `${entry.summary}.`},
		...(isHere ? [] : [elsewhere(inApp)]),
		table,
		...(examples.length > 0 ? [{kind: 'lines', lines: examples} as const] : []),
		{kind: 'text', text: `${more} for details.${alone}${aliases.join('')}`},
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
