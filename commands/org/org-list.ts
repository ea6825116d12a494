import {listCommand} from '../../src/command/list-command.ts';

export default listCommand({
	summary: 'List the organizations that you belong to',
	examples: ['org list'],
	name: 'organizations',
	kind: 'org',
	line: 'org list',
	columns: ['slug', 'name', 'role', 'description', 'created_at'],
	empty: "You don't belong to an organization. Ask an owner to add you.",
	within: [],
	request: (client, {query}, signal) => client.listOrganizations({query}, signal),
});
