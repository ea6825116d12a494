import {formatAmount} from '../../core/format.ts';
import {shellLine} from '../../core/program-name.ts';
import {shellWord} from '../../core/shell-word.ts';
import type {Initialized} from '../../server/accounts/initialize.ts';
import type {Served} from '../../server/run/serve.ts';

/** Returns the JSON of a new organization. */
export function recordOf({apiKey, organization, workspace, project, userId}: Initialized) {
	return {api_key: apiKey.reveal(), org: organization, workspace, project, user_id: userId};
}

/** Returns the same as named values. */
export function fieldsOf(made: Initialized): ReadonlyArray<readonly [string, string]> {
	return Object.entries(recordOf(made)).map(([name, value]) => [name.replace('_', ' '), value]);
}

/** Returns the command to log in. It saves the scope, so that commands need no flags. */
function loginLine(url: string, made: Initialized | undefined): string {
	const scope = made ? ` --org ${made.organization} --workspace ${made.workspace} --project ${made.project}` : '';
	return shellLine(`login --server ${url}${scope}`);
}

/** Returns the facts of a listening server; `at` is its URL for clients. */
export function servedFields(
	{folder, engine, sandboxes, isEmpty, demo}: Omit<Served, 'ended'>,
	at: string,
): ReadonlyArray<readonly [string, string]> {
	return [
		['data', engine === 'sqlite' ? `${folder} (SQLite)` : `PostgreSQL; files in ${folder}`],
		['sandboxes', sandboxes],
		...(demo ? fieldsOf(demo) : []),
		['log in', loginLine(at, demo)],
		...(isEmpty ? ([['first', `No users yet. Create one: ${shellLine('serve init')}`]] as const) : []),
		['stop', 'Ctrl+C'],
	];
}

/** Returns what is shown while a server that stops finishes requests. */
export function finishing(requests: number): string {
	return `Finishing ${formatAmount(requests, 'request')}. Press Ctrl+C again to stop now.`;
}

/** Prints how many sandboxes keep running after the server stopped. */
export function sayWhatRuns(say: (text: string) => void, sandboxes: number): void {
	if (sandboxes > 0) {
		const [them, keep] = sandboxes === 1 ? ['1 sandbox', 'keeps'] : [`${sandboxes} sandboxes`, 'keep'];
		const commands = ['env list', 'env stop <id>', 'runtime list', 'runtime stop <key>'].map(shellLine).join(' · ');
		say(`${them} ${keep} running. To stop one, start the server again, then: ${commands}`);
	}
}

type Place = {readonly data?: string | undefined; readonly database?: string | undefined};

/** Returns the flags that select the same data. A database URL may contain a password, so it isn't repeated. */
export function placeFlags({data, database}: Place): string {
	const folder = data === undefined ? '' : ` --data ${shellWord(data)}`;
	return `${folder}${database === undefined ? '' : ' --database <url>'}`;
}
