import {AppError} from '../core/error.ts';
import {allLogs, type OpenLog} from '../store/logs-slice.ts';
import type {CommandContext} from './context.ts';

/** The help of a log argument. */
export const openLogHelp = 'its title, or the id of its sandbox or a prefix of it; defaults to the log in front';

/** Returns the log with that id, prefix or title. Throws AppError("not-found"), and AppError("usage") for several. */
export function findOpenLog(wanted: string, {program: {store}}: CommandContext): OpenLog {
	const {logs} = store.getState();
	const [only] = logs;
	const exact = logs.filter(({environment, title}) => environment === wanted || title === wanted);
	const found = exact.length > 0 ? exact : logs.filter(({environment}) => wanted && environment.startsWith(wanted));
	const [log] = found;
	if (log && found.length === 1) {
		return log;
	}

	if (only && logs.length === 1 && (wanted === '' || wanted === allLogs)) {
		return only;
	}

	const names = logs.map(({title}) => title).join(', ');
	if (found.length > 1 || (wanted === allLogs && logs.length > 1)) {
		throw new AppError('usage', 'Which log?', {hint: `Choose one of ${names}, or close all: \`logs close --all\``});
	}

	throw new AppError('not-found', wanted ? `No open log is called “${wanted}”.` : 'No open logs.', {
		hint: names ? `Choose one of ${names}.` : 'Open one: `env logs <id>`',
	});
}
