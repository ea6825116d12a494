import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {listCommand} from '../src/command/list-command.ts';
import {placeResult} from '../src/command/views/place-view.ts';
import {originalOf} from '../src/contract/lenient.ts';

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

const create = command({
	name: 'create',
	summary: 'Create a workspace in the organization',
	args: z.object({slug: z.string(), name: z.optional(z.string())}),
	positional: ['slug'],
	describe: {slug: 'its short name in commands and addresses, which stays', name: 'the slug by default'},
	examples: ['workspace create research --name "Research lab"'],
	whileRunning: true,

	async run({slug, name}, {program, signal}) {
		const {client, scope} = await program.servers.open();
		const params = await scope('org');
		const created = await client.createWorkspace({params, body: {slug, ...(name !== undefined && {name})}}, signal);
		const next = `Add a project: \`project create <slug> --workspace ${slug}\``;
		return placeResult(originalOf(created), `Created workspace ${slug} in ${params.org}. ${next}`);
	},
});

const show = command({
	name: 'show',
	summary: 'Show a workspace',
	args: z.object({slug: z.string()}),
	positional: ['slug'],
	completes: {slug: 'workspace'},
	describe: {slug: 'its slug'},
	examples: ['workspace show main'],
	whileRunning: true,

	async run({slug}, {program, signal}) {
		const {client, scope} = await program.servers.open();
		const params = {...(await scope('org')), workspace: slug};
		return placeResult(originalOf(await client.getWorkspace({params}, signal)));
	},
});

const rename = command({
	name: 'rename',
	summary: 'Change the name of a workspace; its slug stays',
	args: z.object({slug: z.string(), name: z.string()}),
	positional: ['slug', 'name'],
	completes: {slug: 'workspace'},
	describe: {slug: 'its slug', name: 'its new name'},
	examples: ['workspace rename main "Main workspace"'],
	whileRunning: true,

	async run({slug, name}, {program, signal}) {
		const {client, scope} = await program.servers.open();
		const params = {...(await scope('org')), workspace: slug};
		return placeResult(originalOf(await client.updateWorkspace({params, body: {name}}, signal)), `Renamed ${slug}.`);
	},
});

export default noun({
	name: 'workspace',
	summary: 'Workspaces of an organization',
	verbs: [list, create, show, rename],
});
