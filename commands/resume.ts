import * as z from 'zod/mini';
import {command} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {dispatch} from '../src/command/dispatch.ts';
import type {Resumable} from '../src/command/picker/resume-choices.ts';
import {unchanged} from '../src/command/result.ts';
import {abortable} from '../src/core/abortable.ts';
import {AppError} from '../src/core/error.ts';
import type {HostedListing} from '../src/link/protocol.ts';

export default command({
	name: 'resume',
	aliases: ['continue'],
	summary: 'Resume an earlier session',
	args: z.object({session: z.optional(z.string())}),
	positional: ['session'],
	completes: {session: 'saved-session'},
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
		if (session) {
			const {id} = await abortable(sessions.find(session), context.signal);
			return {kind: 'panel', panel: {show: 'session', id}};
		}

		// It only reads, and the own server may take seconds to start.
		const found = await abortable(everythingToResume(context), context.signal);
		if (found.length === 0) {
			throw new AppError('not-found', 'Nothing to resume: no other session in this folder.', {
				hint: 'List those of other folders: `sessions --all`',
			});
		}

		const {resumeFilters} = await import('../src/command/picker/resume-choices.ts');
		const choices = found.map(({choice}) => choice);
		const id = await interact.choose({title: 'Resume a session', choices, filters: resumeFilters});
		const action = found.find(({choice}) => choice.id === id)?.action;
		if (!action) {
			return unchanged;
		}

		if (action.kind === 'hosted') {
			return {kind: 'panel', panel: {show: 'attach', session: action.id, at: undefined, observes: false}};
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

/**
 * Returns what is known on this machine: what runs on its host, conversations, then runs of `-p`: of each kind the latest first, and last what
 * is known only by its id.
 */
async function everythingToResume(context: CommandContext): Promise<readonly Resumable[]> {
	const {
		program: {
			session: {saved: sessions},
			local: {sightings},
			models,
			store,
		},
		flags,
	} = context;
	await startedServer(context);
	await loadDetails(context);
	const {hostedChoice, placesOf, savedChoices, seenChoice} = await import('../src/command/picker/resume-choices.ts');
	const open = store.getState().transcript.session;
	const [saved, seen, {priceOf}, hosted] = await Promise.all([
		sessions.list(false),
		sightings.recall(),
		models.catalog(),
		hostedHere(context),
	]);
	// The journal of a session that runs on the host is open there.
	const running = new Set([open, ...hosted.map(({id}) => id)]);
	const others = saved.filter(({id}) => !running.has(id));
	const usage = await sessions.usageOf(others);
	const placeOf = placesOf(context);
	const onServers = seen.flatMap(sighting => {
		const place = placeOf(sighting);
		return place ? [seenChoice(sighting, place, flags)] : [];
	});
	return [
		...hosted.filter(({id}) => id !== open).map(session => hostedChoice(session, flags.exact)),
		...savedChoices(others, {usage, priceOf, exact: flags.exact}),
		...onServers.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0)),
	];
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
