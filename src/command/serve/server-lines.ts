import {shellLine} from '../../core/program-name.ts';
import {shellWord} from '../../core/shell-word.ts';
import type {Initialized} from '../../server/accounts/initialize.ts';
import type {Served} from '../../server/run/serve.ts';

/** What is printed of it, as other programs read it. */
export function recordOf({apiKey, organization, workspace, project, userId}: Initialized) {
	return {api_key: apiKey.reveal(), org: organization, workspace, project, user_id: userId};
}

/** The same as it is drawn: names with their values. */
export function fieldsOf(made: Initialized): ReadonlyArray<readonly [string, string]> {
	return Object.entries(recordOf(made)).map(([name, value]) => [name.replace('_', ' '), value]);
}

/** Returns how to log in; the scope goes with the login, so that commands need no flags. */
export function loginLine(url: string, made: Initialized | undefined): string {
	const scope = made ? ` --org ${made.organization} --workspace ${made.workspace} --project ${made.project}` : '';
	return shellLine(`login --server ${url}${scope}`);
}

/** What is said of a server that listens; `at` is where clients reach it. */
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

/** Prints, when a server stops, which sandboxes keep running. */
export function sayWhatRuns(say: (text: string) => void, sandboxes: number): void {
	if (sandboxes > 0) {
		const [them, keep] = sandboxes === 1 ? ['1 sandbox', 'keeps'] : [`${sandboxes} sandboxes`, 'keep'];
		const commands = `${shellLine('env list')} · ${shellLine('env stop <id>')}`;
		say(`${them} ${keep} running. To stop one, start the server again, then: ${commands}`);
	}
}

type Place = {readonly data?: string | undefined; readonly database?: string | undefined};

/** The flags that name the same data again. An address of a database may hold a password, so it is not repeated. */
export function placeFlags({data, database}: Place): string {
	const folder = data === undefined ? '' : ` --data ${shellWord(data)}`;
	return `${folder}${database === undefined ? '' : ' --database <url>'}`;
}
