import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {listCommand} from '../src/command/list-command.ts';
import {unchanged} from '../src/command/result.ts';

const list = listCommand({
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

/** What a session in the background does, for the user. */
const inWords = {running: 'running', waiting: 'waits for you', ended: 'ended', none: ''} as const;

const saved = command({
	name: 'saved',
	summary: 'List the sessions of this folder, newest first',
	args: z.object({all: z.optional(z.boolean())}),
	describe: {all: 'of every folder'},
	examples: ['sessions --all --json'],
	whileRunning: true,

	async run({all = false}, {program}) {
		const found = await program.session.saved.list(all);
		const states = new Map(program.session.background.list().map(({id, state}) => [id, state]));
		return {
			kind: 'table',
			columns: [
				{label: 'id'},
				{label: 'updated'},
				{label: 'messages', align: 'right'},
				...(states.size > 0 ? [{label: 'background'}] : []),
				{label: 'about'},
			],
			rows: found.map(({id, updatedAt, messages, title, about, folder, client, isPrinted}) => [
				{id},
				{at: updatedAt},
				String(messages),
				...(states.size > 0 ? [inWords[states.get(id) ?? 'none']] : []),
				[
					title || about,
					...(client ? [`(from ${client})`] : []),
					...(isPrinted ? ['(-p run)'] : []),
					...(all ? [`(${folder})`] : []),
				].join(' '),
			]),
			empty: all ? 'No sessions yet.' : 'No sessions in this folder yet. List those of other folders: `sessions --all`',
			opens: {words: ['resume'], ids: found.map(({id}) => id)},
			notes: found.length > 0 ? ['Resume one: `resume <id>`'] : [],
			data: found.map(({id, folder, title, preview, updatedAt, messages, model, client, isPrinted}) => ({
				id,
				folder,
				title,
				preview,
				updated_at: updatedAt,
				messages,
				model,
				...(client && {client}),
				...(isPrinted && {printed: true}),
				...(states.has(id) && {background: states.get(id) ?? null}),
			})),
		};
	},
});

const show = command({
	name: 'show',
	summary: 'Show a session saved on this machine, and what it used',
	args: z.object({session: z.optional(z.string())}),
	positional: ['session'],
	describe: {session: 'id or prefix; defaults to the latest session of this folder'},
	completes: {session: 'saved-session'},
	examples: ['session show', 'session show 3f2a --json'],
	whileRunning: true,

	async run({session}, {program}) {
		const {usageResult} = await import('../src/command/views/usage-view.ts');
		const {savedSessionResult} = await import('../src/command/views/session-view.ts');
		const found = await program.session.saved.findOrLatest(session);
		const [{transcript}, {priceOf, date}] = await Promise.all([
			program.session.saved.read(found),
			program.models.catalog(),
		]);
		return savedSessionResult(found, usageResult(transcript, priceOf, date));
	},
});

const unarchive = command({
	name: 'unarchive',
	summary: 'Restore a session from the archive',
	args: z.object({session: z.string()}),
	positional: ['session'],
	describe: {session: 'id of the session, or a unique prefix'},
	completes: {session: 'session'},
	examples: ['session unarchive 7d9f3a52'],
	whileRunning: true,

	async run({session}, {program, signal}) {
		const {platformSessionResult} = await import('../src/command/views/session-view.ts');
		const {client, scope} = await program.servers.open();
		const params = {...(await scope('org', 'workspace')), sessionId: session};
		return platformSessionResult(await client.unarchiveSession({params}, signal));
	},
});

const remove = command({
	name: 'delete',
	summary: 'Delete a session of the platform with its spans',
	args: z.object({session: z.string(), yes: z.optional(z.boolean())}),
	positional: ['session'],
	describe: {session: 'id of the session, or a unique prefix', yes: 'skip the confirmation'},
	completes: {session: 'session'},
	examples: ['session delete 7d9f3a52 --yes'],
	whileRunning: true,

	async run({session, yes}, {program, ui: {interact}, signal}) {
		const {client, server, scope} = await program.servers.open();
		const params = {...(await scope('org', 'workspace')), sessionId: session};
		const question = `Delete session ${session} on ${server}, with its spans and artifacts? It can't be restored.`;
		if (!yes && !(await interact.confirm(question))) {
			return unchanged;
		}

		await client.deleteSession({params}, signal);
		return {kind: 'text', text: `Deleted session ${session}.`, data: {id: session, deleted: true}};
	},
});

const exportSession = command({
	name: 'export',
	summary: 'Write the spans of a session, a line of JSON each',
	args: z.object({session: z.string()}),
	positional: ['session'],
	describe: {session: 'id of the session, or a unique prefix'},
	completes: {session: 'session'},
	examples: ['session export 7d9f3a52'],
	where: 'shell',

	async run({session}, {program, signal}) {
		const {exportSpans} = await import('../src/command/views/span-export.ts');
		const {client, scope, find} = await program.servers.open();
		const params = await scope('org', 'workspace');
		const id = await find('session', session, params, signal);
		return {kind: 'stream', batches: await exportSpans(client, {params, query: {session: id}}, signal)};
	},
});

export default noun({
	name: 'session',
	aliases: ['sessions'],
	summary: 'A session on this machine, or of the platform',
	verbs: [list, saved, show, unarchive, remove, exportSession],
	aliasFallback: 'saved',
});
