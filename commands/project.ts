import {noun} from '../src/command/command.ts';
import {listCommand} from '../src/command/list-command.ts';

const list = listCommand({
	summary: 'List the projects of the workspace',
	examples: ['project list', 'project list --org acme'],
	name: 'projects',
	kind: 'project',
	line: 'project list',
	columns: ['slug', 'name', 'id', 'created_at'],
	empty: 'No projects in this workspace yet. Others: `workspace list`',
	within: ['org', 'workspace'],
	request: (client, call, signal) => client.listProjects(call, signal),
});

export default noun({name: 'project', summary: 'Projects of a workspace', verbs: [list]});
