import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {dispatch} from '../src/command/dispatch.ts';
import type {Resumable} from '../src/command/picker/resume-choices.ts';
import {unchanged} from '../src/command/result.ts';
import {runConflict} from '../src/command/run-conflict.ts';
import {abortable} from '../src/core/abortable.ts';
import {nameCommands} from '../src/core/command-words.ts';
import {AppError} from '../src/core/error.ts';
import type {HostedListing} from '../src/link/protocol.ts';
import type {ForeignListing} from '../src/session/foreign-sessions.ts';

export default command({
	name: 'resume',
	aliases: ['continue'],
	summary: 'Resume an earlier session',
	args: z.object({session: z.optional(z.string())}),
	positional: ['session'],
	completes: {session: 'saved-session'},
	// A session that is open beside the one in front can be shown while the agent works in both.
	whileRunning: true,
	describe: {session: 'id or a unique prefix; omit it to select a session, runtime or environment'},
	examples: ['resume', 'resume 3f2a'],

	async run({session}, context) {
		const {
			program,
			ui: {interact},
			flags,
		} = context;
		const {
			session: {saved: sessions},
			servers,
		} = program;
		// Its journal may not be written yet.
		const behind = session && context.ui.live && program.session.background.find(session);
		if (behind) {
			return {kind: 'panel', panel: {show: 'session', id: behind}};
		}

		const {transcript, background, isLineByLine} = program.store.getState();
		const isRunning = context.ui.live !== undefined && transcript.run !== undefined;
		if (isRunning && (session || background.length === 0)) {
			throw runConflict('resume', isLineByLine);
		}

		if (session) {
			const {id} = await abortable(sessions.find(session), context.signal);
			const isHosted = (await abortable(hostedHere(context), context.signal)).some(each => each.id === id);
			return {
				kind: 'panel',
				panel: isHosted ? {show: 'attach', session: id, at: undefined, observes: false} : {show: 'session', id},
			};
		}

		const [local, {foreignChoice, resumeFilters}] = await Promise.all([
			abortable(isRunning ? openBeside(context) : sessionsHere(context), context.signal),
			import('../src/command/picker/resume-choices.ts'),
		]);
		const known = [...local];
		const join = async (found: Promise<readonly Resumable[]>) => {
			const added = await found;
			known.push(...added);
			return added.map(({choice}) => choice);
		};
		const foreign = async () => (await foreignHere(context)).map(each => foreignChoice(each, flags.exact));
		const others = isRunning ? [] : [join(knownOnServers(context)), join(foreign())];
		// What is here is listed at once: the own server may take seconds to start, and other clients may have many files.
		const grows = context.ui.live !== undefined && local.length > 0;
		const waited = grows ? [] : await abortable(Promise.all(others), context.signal);
		const choices = [...local.map(({choice}) => choice), ...waited.flat()];
		if (choices.length === 0) {
			throw new AppError('not-found', 'Nothing to resume: no other session in this folder.', {
				hint: 'List those of other folders: `sessions --all`',
			});
		}

		const more = grows ? others.map(part => part.catch(() => [])) : [];
		const id = await interact.choose({title: 'Resume a session', choices, more, filters: resumeFilters});
		const action = known.find(({choice}) => choice.id === id)?.action;
		if (!action) {
			return unchanged;
		}

		if (action.kind === 'hosted') {
			return {kind: 'panel', panel: {show: 'attach', session: action.id, at: undefined, observes: false}};
		}

		if (action.kind === 'foreign') {
			const {sessions: imported} = await program.session.importFrom({path: action.path, again: false}, context.signal);
			return {kind: 'panel', panel: {show: 'session', id: imported[0]?.id ?? ''}};
		}

		if (action.kind === 'session') {
			return {kind: 'panel', panel: {show: 'session', id: action.id}};
		}

		const {words, place} = action;
		return dispatch(words, {
			...context,
			flags: {...flags, ...place},
			program: {...program, servers: {...servers, open: () => servers.open(place)}},
		});
	},
});

/** Returns the open sessions beside the one in front. */
async function openBeside({program: {store}, flags: {exact}}: CommandContext): Promise<readonly Resumable[]> {
	const {openChoice} = await import('../src/command/picker/resume-choices.ts');
	return store.getState().background.map(session => openChoice(session, exact));
}

/**
 * Returns what is on this machine: sessions that are open here, what runs on its host, conversations, then runs of `-p`: of each
 * kind the latest first. Asks no server.
 */
async function sessionsHere(context: CommandContext): Promise<readonly Resumable[]> {
	const {
		program: {
			session: {saved: sessions},
			models,
			store,
		},
		flags,
	} = context;
	const {hostedChoice, savedChoices} = await import('../src/command/picker/resume-choices.ts');
	const open = store.getState().transcript.session;
	const beside = await openBeside(context);
	const [saved, {priceOf}, hosted] = await Promise.all([sessions.list(false), models.catalog(), hostedHere(context)]);
	// The journal of a session that runs on the host is open there.
	const running = new Set([open, ...store.getState().background.map(({id}) => id), ...hosted.map(({id}) => id)]);
	const others = saved.filter(({id}) => !running.has(id));
	const usage = await sessions.usageOf(others);
	return [
		...beside,
		...hosted.filter(({id}) => id !== open).map(session => hostedChoice(session, flags.exact)),
		...savedChoices(others, {usage, priceOf, exact: flags.exact}),
	];
}

/** Returns what was seen on servers, the latest first, and last what is known only by its id. */
async function knownOnServers(context: CommandContext): Promise<readonly Resumable[]> {
	await startedServer(context);
	await loadDetails(context);
	const {placesOf, seenChoice} = await import('../src/command/picker/resume-choices.ts');
	const placeOf = placesOf(context);
	const seen = await context.program.local.sightings.recall();
	const choices = seen.flatMap(sighting => {
		const place = placeOf(sighting);
		return place ? [seenChoice(sighting, place, context.flags)] : [];
	});
	return choices.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0));
}

/** How long files of other clients are looked at. */
const foreignTimeoutMs = 3000;

/** Returns the conversations of other clients in this folder that were never imported. Says what was not looked at. Never rejects. */
async function foreignHere({program, ui: {interact}, signal}: CommandContext): Promise<readonly ForeignListing[]> {
	const limit = AbortSignal.any([signal, AbortSignal.timeout(foreignTimeoutMs)]);
	const {sessions, notes} = await program.session.listForeign(limit).catch(() => ({sessions: [], notes: []}));
	if (notes.length > 0) {
		interact.say(nameCommands(notes.join(' '), 'app'));
	}

	return sessions;
}

/** How long the list waits for the host of this machine. */
const hostTimeoutMs = 1000;

/** Returns the sessions that run on the host of this machine; none without one, or with one that doesn't answer this version. */
async function hostedHere({program: {local, store}}: CommandContext): Promise<readonly HostedListing[]> {
	// Attached to a host, another one is out of sight.
	if (store.getState().remote) {
		return [];
	}

	const {findHost, listHosted} = await import('../src/link/find-host.ts');
	const {env, version} = local;
	const asked = findHost({at: undefined, env, version}).then(async client =>
		listHosted(client).finally(() => client.close()),
	);
	const late = new Promise<never[]>(resolve => setTimeout(() => resolve([]), hostTimeoutMs).unref());
	const sessions = await Promise.race([asked, late]).catch(() => []);
	return sessions.filter(({state}) => state !== 'ended');
}

/** How long the list waits for what a server elsewhere says of what is known by its id alone. */
const detailsTimeoutMs = 2000;

/** Asks the server that the app is connected to about what is known by its id alone. */
async function loadDetails({ui: {live}, program: {servers, local, store}, signal}: CommandContext): Promise<void> {
	const {profile, state} = store.getState().connection;
	if (!live || state !== 'ready') {
		return;
	}

	const seen = await local.sightings.recall();
	const {loadSightings} = await import('../src/platform/load-sightings.ts');
	// The own server answers, however busy the machine is.
	const limit = profile === 'local' ? signal : AbortSignal.any([signal, AbortSignal.timeout(detailsTimeoutMs)]);
	await servers.platform.openConnected().then(
		session => loadSightings(session, seen, limit),
		() => undefined,
	);
}

/** Waits for the embedded server if it is starting: it names what it has. What it fails with is not about saved sessions. */
async function startedServer({ui: {live}, program}: CommandContext): Promise<void> {
	const {profile, state} = program.store.getState().connection;
	if (live && profile === 'local' && state === 'starting') {
		await program.servers.platform.embedded().catch(() => undefined);
	}
}
