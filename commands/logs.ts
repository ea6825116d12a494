import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {AppError} from '../src/core/error.ts';
import {formatNumber} from '../src/core/format.ts';
import {onlyMatch} from '../src/core/only-match.ts';
import {describeState} from '../src/logs/tail-state.ts';
import {allLogs, type OpenLog} from '../src/store/logs-slice.ts';

/** The help of a log argument. */
const openLogHelp = 'its title, or the id of its sandbox or a prefix of it; defaults to the log in front';

/** Returns the log with that id, prefix or title. Throws AppError("not-found"), and AppError("usage") for several. */
function findOpenLog(wanted: string, {program}: CommandContext): OpenLog {
	const {logs} = program.store.getState();
	const [only] = logs;
	const names = logs.map(({title}) => title).join(', ');
	const which = `Choose one of ${names}, or close all: \`logs close --all\``;
	const prefix = wanted.toLowerCase();
	const exact = logs.filter(({environment, title}) => environment === wanted || title === wanted);
	const matches = exact.length > 0 ? exact : logs.filter(({environment}) => wanted && environment.startsWith(prefix));
	const log = onlyMatch(wanted, matches, {noun: 'logs', nameOf: ({environment}) => environment, hint: which});
	if (log) {
		return log;
	}

	if (only && logs.length === 1 && (wanted === '' || wanted === allLogs)) {
		return only;
	}

	if (wanted === allLogs && logs.length > 1) {
		throw new AppError('usage', 'Which log?', {hint: which});
	}

	throw new AppError('not-found', wanted ? `No open log is called “${wanted}”.` : 'No open logs.', {
		hint: names ? `Choose one of ${names}.` : 'Open one: `env logs <id>`',
	});
}

const list = command({
	name: 'list',
	summary: 'List the logs that you follow',
	args: z.object({}),
	examples: ['logs'],
	where: 'app',
	whileRunning: true,

	run(_, {program}) {
		const {logs} = program.store.getState();
		const rows = logs.map(({title, environment, state, lines, unread, openedAt}) => [
			title,
			{id: environment},
			describeState(state, Date.now()),
			formatNumber(lines),
			formatNumber(unread),
			{at: new Date(openedAt).toISOString()},
		]);
		return {
			kind: 'table',
			columns: [
				{label: 'log'},
				{label: 'environment', whole: true},
				{label: 'state'},
				{label: 'lines', align: 'right', spare: true},
				{label: 'unread', align: 'right', spare: true},
				{label: 'opened', spare: true},
			],
			rows,
			empty: 'No open logs. Open one: `env logs <id>`',
			data: logs.map(({title, environment, server, state, lines, gaps, unread}) => ({
				title,
				environment,
				server,
				state: state.name,
				lines,
				gaps,
				unread,
			})),
		};
	},
});

const show = command({
	name: 'show',
	summary: 'Show the log panel with one log in front',
	args: z.object({log: z.optional(z.string())}),
	positional: ['log'],
	describe: {log: openLogHelp},
	examples: ['logs show', 'logs show web-shop'],
	where: 'app',
	whileRunning: true,

	run({log}, context) {
		const {logs, logFocus} = context.program.store.getState();
		const isOpen = log === undefined && logs.length > 0;
		const focus = isOpen ? logFocus : findOpenLog(log ?? '', context).environment;
		return {kind: 'panel', panel: {show: 'log-panel', isShown: true, focus}};
	},
});

const hide = command({
	name: 'hide',
	summary: 'Collapse the log panel (logs keep streaming)',
	args: z.object({}),
	examples: ['logs hide'],
	where: 'app',
	whileRunning: true,

	run(_, context) {
		const {logs, logFocus} = context.program.store.getState();
		const focus = logs.length > 0 ? logFocus : findOpenLog('', context).environment;
		return {kind: 'panel', panel: {show: 'log-panel', isShown: false, focus}};
	},
});

const close = command({
	name: 'close',
	summary: 'Stop following a log, or all of them',
	args: z.object({log: z.optional(z.string()), all: z.optional(z.boolean())}),
	positional: ['log'],
	describe: {log: openLogHelp, all: 'close every log'},
	examples: ['logs close', 'logs close web-shop', 'logs close --all'],
	where: 'app',
	whileRunning: true,

	run({log, all = false}, context) {
		const {
			ui: {live},
			program: {store},
		} = context;
		if (all && log !== undefined) {
			throw new AppError('usage', 'Give a log or --all, not both.', {hint: 'Leave one out.'});
		}

		const {logs, logFocus} = store.getState();
		const closed = all ? logs : [findOpenLog(log ?? logFocus, context)];
		const text = closed.map(({environment}) => live?.closeLog(environment)).filter(Boolean);
		return {kind: 'text', text: text.join('\n') || 'No open logs.'};
	},
});

export default noun({
	name: 'logs',
	summary: 'Logs in the log panel',
	verbs: [list, show, hide, close],
	fallback: 'list',
});
