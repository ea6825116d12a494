import {listCommand} from '../../src/command/list-command.ts';

export default listCommand({
	summary: 'List the runtimes of the workspace, newest first',
	examples: ['runtime list', 'runtime list --project web'],
	name: 'runtimes',
	kind: 'runtime',
	line: 'runtime list',
	columns: ['key', 'status', 'name', 'task_ref', 'created_at', 'owned_by_me', 'project_key', 'id'],
	empty: 'No runtimes yet. Create one: `runtime create <name> <task>`',
	opens: {words: ['runtime', 'show'], by: 'key'},
	within: ['org', 'workspace'],
	isByProject: true,
	request: (client, call, signal) => client.listRuntimes(call, signal),
});
