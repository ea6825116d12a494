import {listCommand} from '../../src/command/list-command.ts';

export default listCommand({
	summary: 'List the sessions of the workspace, latest first',
	examples: ['session list', 'session list --project web --page 2'],
	name: 'sessions',
	kind: 'session',
	line: 'session list',
	columns: ['id', 'title', 'updated_at', 'message_count', 'model', 'project_name', 'visibility', 'archived_at'],
	empty: 'No sessions in this workspace yet. `sessions` lists those of this folder.',
	within: ['org', 'workspace'],
	isByProject: true,
	request: (client, call, signal) => client.listSessions(call, signal),
});
