import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {listCommand} from '../src/command/list-command.ts';
import {unchanged} from '../src/command/result.ts';
import {placeResult} from '../src/command/views/place-view.ts';
import {originalOf} from '../src/contract/lenient.ts';

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

const create = command({
	name: 'create',
	summary: 'Create a project in the workspace',
	args: z.object({slug: z.string(), name: z.optional(z.string())}),
	positional: ['slug'],
	describe: {slug: 'its short name in commands and addresses, which stays', name: 'the slug by default'},
	examples: ['project create parser --name "Log parser"'],
	whileRunning: true,

	async run({slug, name}, {program, signal}) {
		const {client, scope} = await program.servers.open();
		const params = await scope('org', 'workspace');
		const created = await client.createProject({params, body: {slug, ...(name !== undefined && {name})}}, signal);
		return placeResult(originalOf(created), `Created project ${slug} in ${params.workspace}.`);
	},
});

const show = command({
	name: 'show',
	summary: 'Show a project',
	args: z.object({slug: z.string()}),
	positional: ['slug'],
	completes: {slug: 'project'},
	describe: {slug: 'its slug or id'},
	examples: ['project show web'],
	whileRunning: true,

	async run({slug}, {program, signal}) {
		const {client, scope} = await program.servers.open();
		const params = {...(await scope('org', 'workspace')), project: slug};
		return placeResult(originalOf(await client.getProject({params}, signal)));
	},
});

const rename = command({
	name: 'rename',
	summary: 'Change the name of a project; its slug stays',
	args: z.object({slug: z.string(), name: z.string()}),
	positional: ['slug', 'name'],
	completes: {slug: 'project'},
	describe: {slug: 'its slug or id', name: 'its new name'},
	examples: ['project rename web "Web shop"'],
	whileRunning: true,

	async run({slug, name}, {program, signal}) {
		const {client, scope} = await program.servers.open();
		const params = {...(await scope('org', 'workspace')), project: slug};
		return placeResult(originalOf(await client.updateProject({params, body: {name}}, signal)), `Renamed ${slug}.`);
	},
});

const remove = command({
	name: 'delete',
	summary: 'Delete a project with all that belongs to it',
	args: z.object({slug: z.string(), yes: z.optional(z.boolean())}),
	positional: ['slug'],
	completes: {slug: 'project'},
	describe: {slug: 'slug or id of the project', yes: 'skip the confirmation'},
	examples: ['project delete web --yes'],
	whileRunning: true,

	async run({slug, yes}, {program, ui: {interact}, signal}) {
		const {client, server, scope} = await program.servers.open();
		const params = {...(await scope('org', 'workspace')), project: slug};
		const question = `Delete project ${slug} on ${server}, with its sessions, spans, findings, runs and sandboxes? It can't be restored.`;
		if (!yes && !(await interact.confirm(question))) {
			return unchanged;
		}

		await client.deleteProject({params}, signal);
		return {kind: 'text', text: `Deleted project ${slug}.`, data: {project: slug, deleted: true}};
	},
});

const exportProject = command({
	name: 'export',
	summary: 'Write the spans of a project, a line of JSON each',
	args: z.object({slug: z.optional(z.string())}),
	positional: ['slug'],
	completes: {slug: 'project'},
	describe: {slug: 'slug or id of the project; the whole workspace by default'},
	examples: ['project export web > web.ndjson'],
	where: 'shell',

	async run({slug}, {program, signal}) {
		const {exportSpans} = await import('../src/command/views/span-export.ts');
		const {client, scope} = await program.servers.open();
		const params = await scope('org', 'workspace');
		return {kind: 'stream', batches: await exportSpans(client, {params, query: {project: slug}}, signal)};
	},
});

export default noun({
	name: 'project',
	summary: 'Projects of a workspace',
	verbs: [list, create, show, rename, remove, exportProject],
});
