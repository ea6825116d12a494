import {commands} from '../../commands/index.ts';
import {joinEntries} from '../command/entries/entry-source.ts';
import {isCommandLine} from '../command/line-kind.ts';
import type {Program} from '../command/program.ts';
import {createCompletionValues} from '../config/completion-values.ts';
import {type ResolvedProfile, resolveProfile} from '../config/resolve-profile.ts';
import {knownEfforts} from '../core/effort.ts';
import {plainHttpWarning} from '../core/origin.ts';
import {systemTailClock} from '../logs/tail-clock.ts';
import {createTraces} from '../platform/traces/traces.ts';
import {createResume} from '../session/resume-session.ts';
import {createImageFolder} from '../storage/images/image-folder.ts';
import {replaceFile} from '../storage/private-file.ts';
import {loadPromptHistory} from '../storage/prompt-history-file.ts';
import {localConnection} from '../store/connection-slice.ts';
import {reducesMotion} from '../terminal/motion.ts';
import {backgroundNotice, createNotifier} from '../watch/notifier.ts';
import {createSandboxExpiry} from '../watch/watch-expiry.ts';
import {createWatches} from '../watch/watch-list.ts';
import {withAbsentHome} from './absent-home.ts';
import {type AgentParts, createAgentParts} from './agent-parts.ts';
import {createContextFor} from './command-context.ts';
import {type LocalState, openLocalState} from './local-state.ts';
import {mcpPromptEntries} from './mcp-prompts.ts';
import type {ProgramOptions} from './program-options.ts';
import {promptFileEntries} from './prompt-files.ts';
import {createServers, type Servers} from './servers.ts';
import {skillEntries} from './skill-parts.ts';
import {themeParts} from './theme-parts.ts';

/** Builds the program from its parts. Throws `AppError` if the state folder or the configuration is invalid. */
export function compose(given: ProgramOptions): Program {
	const options = given.diagnoses ? withAbsentHome(given) : given;
	const {store} = options;
	const local = openLocalState(options);
	const servers = createServers(options, local);
	const agent = createAgentParts(options, local, servers);
	const {conversation} = agent;
	const traces = createTraces({...options, ...local, ...servers, openServer: servers.platform.openConnected});
	agent.onRecord(traces.follow);
	const notifier = createNotifier(store, conversation);
	agent.background.onChange(session => notifier.notify(backgroundNotice(session)));
	const watches = createWatches({store, conversation, notifier, clock: systemTailClock});
	const expiry = createSandboxExpiry({store, notifier, clock: systemTailClock});
	/** Ends the requests that the program makes by itself. */
	const stop = new AbortController();
	completeValues(options, local, servers);
	const entries = joinEntries(commands, [
		promptFileEntries(local.project),
		skillEntries(local.project),
		mcpPromptEntries(agent.mcp.prompts),
	]);
	const profile = options.connect === false ? undefined : connect(options, local, agent);

	return {
		...{
			conversation,
			entries: entries.all,
			refreshEntries: entries.refresh,
			askWith: agent.askWith,
			answerWith: agent.answerWith,
			onRecord: agent.onRecord,
			jobs: () => agent.jobs()?.list() ?? [],
		},
		...localParts(options, local, agent, stop.signal),
		...modelParts(options, local, servers, agent, stop.signal),
		...themeParts(options, local),
		contextFor: createContextFor(options, local, servers, agent, {watches, expiry, traces, entries: entries.all}),
		endTraces: traces.close,
		warnings: () => [...warningsOf(options, profile, agent), ...local.settings.faults()],
		close: async () => {
			stop.abort();
			expiry.close();
			notifier.close();
			const {prompts, recents, sightings} = local;
			const written = [prompts, recents, sightings].map(each => each.settle());
			await Promise.all([conversation.close(), watches.close(), ...written]);
			await traces.close();
			await Promise.all([servers.embedded.close(), agent.mcp.end()]);
		},
	};
}

/** Connects completion to the values that are known here. */
function completeValues({store}: ProgramOptions, {config, recents}: LocalState, {catalog}: Servers): void {
	const profile = () => store.getState().connection.profile;
	store.getState().setValuesOf(createCompletionValues({config, recents, profile, models: catalog.modelIds}));
}

/** Selects the server and the model to begin with. Returns the profile of the server; undefined for the embedded one. */
function connect(
	options: ProgramOptions,
	{config, settings}: LocalState,
	{access}: AgentParts,
): ResolvedProfile | undefined {
	const {store, env} = options;
	const profile = resolveProfile({data: config.read(), env, flags: {profile: options.profile}});
	const state = store.getState();
	state.setConnection(profile ? {profile: profile.name, server: profile.server, state: 'ready'} : localConnection);
	state.setModel(options.model === undefined ? access.initial() : access.named(options.model));
	const applyMotion = () => store.setState({isStill: reducesMotion(settings.value('motion'), env)});
	applyMotion();
	settings.onChange(applyMotion);
	state.setEfforts(knownEfforts(config.read().settings.efforts), options.effort);
	return profile;
}

function localParts(
	{store, model: givenModel}: ProgramOptions,
	local: LocalState,
	agent: AgentParts,
	signal: AbortSignal,
) {
	const {home, settings, folder, project, secrets, sessions, prompts, rules} = local;
	return {
		...{settings, folder, project, secrets},
		resume: createResume({store, ...agent, sessions, folder, isModelGiven: givenModel !== undefined}),
		savedSessions: () => sessions().list(false),
		async checkMedia(message: string) {
			const {checkMedia} = await import('../agent/mentions/image-source.ts');
			const {transcript, model} = store.getState();
			// A run keeps its model, and a message that is queued joins it.
			const asked = transcript.run?.model ?? model;
			await checkMedia(message, {model: asked, folder: folder.path(), homeFolder: folder.home});
		},
		async keepImage(bytes: Buffer) {
			const {keepPasted} = await import('../agent/mentions/image-source.ts');
			return keepPasted(bytes, createImageFolder(home.images));
		},
		async listPaths() {
			const {listPaths} = await import('../agent/mentions/path-list.ts');
			const places = {stateFolder: home.path, rules: () => ({folder: folder.path(), entries: rules.list()})};
			return listPaths(folder.isOpen() ? folder.path() : undefined, places, signal);
		},
		suggestResources: (query: string) => agent.mcp.suggestResources(query, signal),
		async keepCopy(text: string) {
			await replaceFile(home.copiedFile, text);
			return home.copiedFile;
		},
		loadHistory: () => loadPromptHistory(home),
		async openDrafts() {
			const {openDrafts} = await import('../config/drafts.ts');
			return openDrafts(home.draftsFile, {folder: folder.path(), profile: store.getState().connection.profile});
		},
		remember: prompts.remember,
	};
}

function modelParts(
	options: ProgramOptions,
	local: LocalState,
	servers: Servers,
	{access, models, conversation}: AgentParts,
	signal: AbortSignal,
) {
	const {store} = options;
	const {embedded, loadPrices} = servers;
	const isDemo = () => access.isDemo(store.getState().model);
	return {
		isDemo,
		loadCatalog: loadPrices,
		chooseModel: choose => models.choose(choose, signal),
		rememberModel: models.remember,
		lacksKey: () => access.lacksKey(store.getState().model),
		async prepare(line) {
			const {model, connection} = store.getState();
			if (!isCommandLine(line)) {
				// A connection tells a host, and the network, that somebody is there.
				await access.prepare(model, await conversation.isAgreed(model));
				await practiseSending(line, local);
			} else if (connection.profile === localConnection.profile && isDemo()) {
				await embedded.open();
				// The ids of its demo data complete what is typed.
				completeValues(options, local, servers);
			}
		},
	} satisfies Partial<Program>;
}

/** Loads and runs what a message passes through between Enter and its request, apart from the model's access. */
async function practiseSending(text: string, {secrets}: LocalState): Promise<void> {
	await import('../agent/mentions/image-source.ts');
	await import('../session/budget-guard.ts');
	secrets.hide(text);
}

function warningsOf(
	{store, insecureHttp}: ProgramOptions,
	profile: ResolvedProfile | undefined,
	{access}: AgentParts,
): readonly string[] {
	const warnings = [profile?.notice, access.notice(store.getState().model), insecureHttp && plainHttpWarning];
	return warnings.filter(warning => typeof warning === 'string');
}
