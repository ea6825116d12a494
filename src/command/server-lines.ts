import {shellLine} from '../core/program-name.ts';
import {shellWord} from '../core/shell-word.ts';
import type {Initialized} from '../server/accounts/initialize.ts';

/** What is printed of it, as other programs read it. */
export function recordOf({apiKey, organization, workspace, project, userId}: Initialized) {
	return {api_key: apiKey.reveal(), org: organization, workspace, project, user_id: userId};
}

/** The same as it is drawn: names with their values. */
export function fieldsOf(made: Initialized): ReadonlyArray<readonly [string, string]> {
	return Object.entries(recordOf(made)).map(([name, value]) => [name.replace('_', ' '), value]);
}

/** How a person logs in; his scope goes with him, so that commands need no flags. */
export function loginLine(url: string, made: Initialized | undefined): string {
	const scope = made ? ` --org ${made.organization} --workspace ${made.workspace} --project ${made.project}` : '';
	return shellLine(`login --server ${url}${scope}`);
}

type Place = {readonly data?: string | undefined; readonly database?: string | undefined};

/** The flags that name the same data again. An address of a database may hold a password, so it is not repeated. */
export function placeFlags({data, database}: Place): string {
	const folder = data === undefined ? '' : ` --data ${shellWord(data)}`;
	return `${folder}${database === undefined ? '' : ' --database <url>'}`;
}
