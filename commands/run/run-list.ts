import {listCommand} from '../../src/command/list-command.ts';

export default listCommand({
	summary: 'List the workflow runs of the workspace, newest first',
	examples: ['run list', 'run list --project web'],
	name: 'runs',
	kind: 'run',
	line: 'run list',
	columns: ['id', 'status', 'title', 'created_at', 'claimed_at', 'project_key'],
	empty: 'No runs yet. Push traces that name one: `trace push <file>`',
	opens: {words: ['run', 'items'], by: 'id'},
	within: ['org', 'workspace'],
	isByProject: true,
	request: (client, call, signal) => client.listRuns(call, signal),
});
