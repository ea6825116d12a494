import {randomUUID} from 'node:crypto';
import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {type Result, unchanged} from '../src/command/result.ts';
import {AppError} from '../src/core/error.ts';
import {parseModelId} from '../src/core/model.ts';
import type {HostClient} from '../src/link/host-client.ts';
import type {HostedListing, Rank} from '../src/link/protocol.ts';

export default command({
	name: 'attach',
	summary: 'Show a session of a host in this terminal, or list them',
	args: z.object({
		session: z.optional(z.string()),
		at: z.optional(z.string()),
		new: z._default(z.boolean(), false),
		folder: z.optional(z.string()),
		model: z.optional(z.string()),
		observe: z._default(z.boolean(), false),
	}),
	positional: ['session'],
	completes: {model: 'model'},
	describe: {
		session: 'id or a unique prefix, or a place; omit it to list the sessions',
		at: 'user@machine, through ssh, or the URL of a host or of a link; the host of this machine by default',
		new: 'begin a session on the host',
		folder: 'the folder of a new session, on the machine of the host',
		model: 'provider/model-name of a new session; the selected one by default',
		observe: 'watch only: send and answer nothing',
	},
	examples: ['attach', 'attach 3f2a', 'attach --new', 'attach user@machine', 'attach --at https://agents.example.com'],
	whileRunning: true,

	async run({session: given, at: place, new: isNew, folder, model: named, observe}, context) {
		const {program} = context;
		const onlyNew = named === undefined ? folder && '--folder' : '--model';
		if (onlyNew && !isNew) {
			throw new AppError('usage', `${onlyNew} is for a new session.`, {hint: 'Add --new.'});
		}

		const model = named === undefined ? program.store.getState().model : modelOf(named);
		// Nothing but a place has one of these signs.
		const isPlace = given !== undefined && /@|:\/\//.test(given);
		const [id, reached] = isPlace ? [undefined, given] : [given, place];
		const {provePlace} = await import('../src/platform/host-pass.ts');
		const proven = reached === undefined ? undefined : await provePlace(reached, context);
		const at = proven?.at;
		const session = id ?? proven?.session;
		const observes = observe || proven?.observes === true;
		if (session && program.session.hosted && at === undefined) {
			return {kind: 'panel', panel: {show: 'session', id: session}};
		}

		// Whoever only watches can't begin a session, but sees the one that they begin.
		const client = await sameVersion(at, observes && !isNew ? 'observer' : undefined, context);
		let result: Result | undefined;
		try {
			result = await show({client, session, isNew, folder, model}, {at, observes}, context);
			return result;
		} finally {
			const isUsed = result?.kind === 'panel' && result.panel.show === 'attach' && result.panel.client === client;
			if (!isUsed) {
				client.close();
			}
		}
	},
});

function modelOf(named: string): string {
	const {provider, name} = parseModelId(named);
	return `${provider}/${name}`;
}

type Wanted = {
	readonly client: HostClient;
	readonly session: string | undefined;
	readonly isNew: boolean;
	readonly folder: string | undefined;
	/** Of a new session. */
	readonly model: string | undefined;
};

type Shown = {readonly at: string | undefined; readonly observes: boolean};

async function show(
	{client, session, isNew, folder, model}: Wanted,
	{at, observes}: Shown,
	{ui}: CommandContext,
): Promise<Result> {
	const attach = (id: string, isUsable = true): Result => ({
		kind: 'panel',
		// The app that is on the screen opens a connection of its own.
		panel: {show: 'attach', session: id, at, observes, ...(isUsable && !ui.live && {client})},
	});
	if (isNew) {
		const begun = await client.request('_service/begin', {key: randomUUID(), folder, ...(model && {model})});
		return attach(begun.session, !observes);
	}

	const {listHosted} = await import('../src/link/find-host.ts');
	const sessions = await listHosted(client);
	const open = sessions.filter(({state}) => state !== 'ended');
	if (session) {
		const {sessionByPrefix} = await import('../src/link/session-prefix.ts');
		return attach(sessionByPrefix(session, open, ({id}) => id).id);
	}

	if (ui.live && open.length > 0) {
		const id = await ui.interact.choose({title: 'Attach to a session', choices: open.map(choiceOf)});
		return id === undefined ? unchanged : attach(id);
	}

	return table(sessions);
}

function choiceOf({id, about, state, folder}: HostedListing) {
	return {id, label: about || id.slice(0, 8), detail: `${state} · ${folder}`};
}

function table(sessions: readonly HostedListing[]): Result {
	return {
		kind: 'table',
		columns: [
			{label: 'id', whole: true},
			{label: 'state'},
			{label: 'session'},
			{label: 'folder', cut: 'middle'},
			{label: 'began', spare: true},
			{label: 'terminals', spare: true},
		],
		rows: sessions.map(({id, state, about, folder, began_at, terminals}) => [
			{id},
			state,
			about,
			folder,
			{at: began_at},
			terminals.join(', '),
		]),
		empty: 'No sessions on this host. Begin one: `attach --new`',
		data: JSON.parse(JSON.stringify(sessions)),
	};
}

/**
 * Connects to a host. One of another version is never used in silence: the user may have it replaced, once its runs have
 * ended. Throws AppError("upgrade") if they don't.
 */
async function sameVersion(
	at: string | undefined,
	rank: Rank | undefined,
	{program, ui, signal}: CommandContext,
): Promise<HostClient> {
	const {findHost, isOther, startHost, untilHostEnded} = await import('../src/link/find-host.ts');
	const {env, version} = program.local;
	const wish = {at, env, version, folder: program.project.folder.path(), isDrawn: ui.live !== undefined, rank};
	const client = await findHost(wish);
	if (!isOther(client, version)) {
		return client;
	}

	const {version: theirs, folders} = client.welcome();
	const refuse = new AppError('upgrade', `The host runs version ${theirs}; this is ${version}.`, {
		hint:
			at === undefined
				? 'Let it end with `$ host stop`, then start it again.'
				: 'Install the same version on both machines.',
	});
	const question = `The host runs version ${theirs}, this is ${version}. Replace it when its runs have ended?`;
	if (at !== undefined || ui.interact.piped || !(await ui.interact.confirm(question))) {
		client.close();
		throw refuse;
	}

	await client.request('_service/drain', {});
	client.close();
	await untilHostEnded(env, signal);
	await startHost(folders, env);
	return findHost(wish);
}
