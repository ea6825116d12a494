import {noun} from '../src/command/command.ts';
import {listCommand} from '../src/command/list-command.ts';

const list = listCommand({
	summary: 'List the workspaces of the organization',
	examples: ['workspace list', 'workspace list --org acme'],
	name: 'workspaces',
	kind: 'workspace',
	line: 'workspace list',
	columns: ['slug', 'name', 'id', 'created_at'],
	empty: 'No workspaces in this organization yet. Others: `org list`',
	within: ['org'],
	request: (client, call, signal) => client.listWorkspaces(call, signal),
});

export default noun({name: 'workspace', summary: 'Workspaces of an organization', verbs: [list]});
