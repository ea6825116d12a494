import {listCommand} from '../../src/command/list-command.ts';

export default listCommand({
	summary: 'List the sandboxes of the workspace, running ones first',
	examples: ['env list', 'env list --project web'],
	name: 'environments',
	kind: 'environment',
	line: 'env list',
	columns: ['id', 'state', 'task_ref', 'expires_at', 'created_at', 'error', 'project_key'],
	empty: 'No sandboxes yet. Create one: `env create <task>`',
	opens: {words: ['env', 'show'], by: 'id'},
	within: ['org', 'workspace'],
	isByProject: true,
	request: (client, call, signal) => client.listEnvironments(call, signal),
});
