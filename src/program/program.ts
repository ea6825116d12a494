import {randomUUID} from 'node:crypto';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import process from 'node:process';
import {commands} from '../../commands/index.ts';
import type {CommandRequest, SharedProgram} from '../command/context.ts';
import {familiarEntries, joinEntries} from '../command/entries/entry-source.ts';
import {isCommandLine} from '../command/line-kind.ts';
import type {FilesPart, LocalPart, ModelPart, PromptsPart, ServersPart, SessionPart} from '../command/parts.ts';
import type {Program} from '../command/program.ts';
import {createCompletionValues} from '../config/completion-values.ts';
import {type ResolvedProfile, resolveProfile} from '../config/resolve-profile.ts';
import type {UserSettings} from '../config/settings/user-settings.ts';
import {knownEfforts} from '../core/effort.ts';
import {AppError} from '../core/error.ts';
import {once} from '../core/once.ts';
import {plainHttpWarning} from '../core/origin.ts';
import {hideInReports} from '../core/secrets/hidden-report.ts';
import {systemTailClock} from '../logs/tail-clock.ts';
import {createTraces, type Traces} from '../platform/traces/traces.ts';
import {createResume} from '../session/resume-session.ts';
import {homePath, openHome} from '../storage/home.ts';
import {createImageFolder} from '../storage/images/image-folder.ts';
import {smallFilesSettled} from '../storage/kept-file.ts';
import {saveNewFile, writeNewFile} from '../storage/new-file.ts';
import {replaceFile} from '../storage/private-file.ts';
import {loadPromptHistory} from '../storage/prompt-history-file.ts';
import {readBytes} from '../storage/read-bytes.ts';
import {localConnection} from '../store/connection-slice.ts';
import type {AppStore} from '../store/store.ts';
import {reducesMotion} from '../terminal/motion.ts';
import {type Scheme, terminalScheme} from '../terminal/text/style.ts';
import {defaultTheme} from '../terminal/theme/theme-names.ts';
import {createSandboxExpiry} from '../watch/watch-expiry.ts';
import {createWatches} from '../watch/watch-list.ts';
import {type AgentParts, createAgentParts} from './agent-parts.ts';
import {announceAgents} from './announce-agents.ts';
import {createDoctor} from './doctor-parts.ts';
import {createAgentsPart, externalEntries, savedAgent, selectAgent} from './external-parts.ts';
import {type LocalState, openLocalState} from './local-state.ts';
import {mcpPromptEntries} from './mcp-prompts.ts';
import type {ProgramOptions} from './program-options.ts';
import {promptFileEntries} from './prompt-files.ts';
import {createServers, type Servers} from './servers.ts';
import {skillEntries} from './skill-parts.ts';

/** Builds the program from its parts. Throws `AppError` if the state folder or the configuration is invalid. */
export function compose(given: ProgramOptions): Program {
	const options = given.diagnoses ? withAbsentHome(given) : given;
	const {store} = options;
	const local = openLocalState(options);
	const servers = createServers(options, local);
	const agent = createAgentParts(options, local, servers);
	const {conversations, notifier} = agent;
	const conversation = () => conversations.get().conversation;
	const traces = createTraces({...options, ...local, ...servers, openServer: servers.platform.openConnected});
	agent.onRecord(traces.follow);
	const watches = createWatches({store, conversation, notifier, clock: systemTailClock});
	const expiry = createSandboxExpiry({store, notifier, clock: systemTailClock});
	/** Ends the requests that the program makes by itself. */
	const stop = new AbortController();
	completeValues(options, local, servers);
	const openAgents = once(async () =>
		(await import('../storage/folder-agents.ts')).createFolderAgents(local.home, local.folder.path),
	);
	const {hide} = local.secrets;
	const endHiding = hideInReports(hide);
	const endAgents = options.connect === false ? undefined : announceAgents({store, open: openAgents, hide});
	selectAgent(options, local);
	if (options.connect !== false) {
		// Its session begins with the program. A command in a shell may have none.
		conversations.get();
	}

	const profile = options.connect === false ? undefined : connect(options, local, agent);

	const parts = {
		store,
		local: localPart(options, local),
		models: {...agent.models, loadPrices: servers.loadPrices},
		model: modelPart(store, agent, stop.signal),
		session: sessionPart(options, local, agent, openAgents),
		project: {
			folder: local.folder,
			files: local.project,
			changes: agent.changes.open,
			approvals: {rules: local.rules, judge: agent.approvals.judge},
		},
		prompts: promptsPart(options, local, preparer(options, local, servers, agent, stop.signal), stop.signal),
		files: filesPart(options, local),
		watches: {logs: watches, expiry},
		agents: createAgentsPart(options, local, () => conversations.made()?.front().grants().external?.current()),
		mcp: {...agent.mcp.access, suggestResources: (query: string) => agent.mcp.suggestResources(query, stop.signal)},
		commands: joinEntries(commands, [
			promptFileEntries(local.project),
			skillEntries(local.project),
			mcpPromptEntries(agent.mcp.prompts),
			externalEntries(store, () => conversations.made()?.front().grants().external?.current(), stop.signal),
			familiarEntries(commands),
		]),
	};

	return {
		...parts,
		forCommand: contextsOf(parts, traces, {options, local, servers}),
		endTraces: traces.close,
		warnings: () => [...warningsOf(options, profile, agent), ...local.settings.faults()],
		close: async () => {
			stop.abort();
			expiry.close();
			notifier.close();
			await Promise.all([conversations.made()?.conversation.close(), watches.close(), endAgents?.()]);
			await traces.close();
			await Promise.all([servers.embedded.close(), agent.mcp.end()]);
			// What ends may have remembered something, such as the demo data of a server that was just about to run.
			await smallFilesSettled();
			endHiding();
		},
	};
}

/** Connects completion to the values that are known here. */
function completeValues({store}: ProgramOptions, {config, recents}: LocalState, {catalog}: Servers): void {
	const profile = () => store.getState().connection.profile;
	store
		.getState()
		.setValuesOf(
			createCompletionValues({config, recents, profile, models: catalog.modelIds, embedded: localConnection.profile}),
		);
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

function localPart(options: ProgramOptions, local: LocalState): LocalPart {
	const {config, settings, recents, sightings, secrets} = local;
	return {
		config,
		settings,
		env: options.env,
		version: options.version,
		debug: options.debug?.write,
		recents,
		sightings,
		secrets,
		scheme: followTheme(options, settings),
	};
}

function modelPart(store: AppStore, {access, models, contextWindow}: AgentParts, signal: AbortSignal): ModelPart {
	return {
		// Another agent chooses its own.
		choose: async choose => (store.getState().agent ? undefined : models.choose(choose, signal)),
		remember: models.remember,
		isDemo: () => !store.getState().agent && access.isDemo(store.getState().model),
		lacksKey: () => !store.getState().agent && access.lacksKey(store.getState().model),
		contextWindow,
	};
}

function sessionPart(
	{store, env, version, model}: ProgramOptions,
	local: LocalState,
	agent: AgentParts,
	agents: SessionPart['agents'],
): SessionPart {
	const {sessions, folder, home, secrets} = local;
	const {conversations, approvals, answerWith, onRecord} = agent;
	return {
		get conversation() {
			return conversations.get().conversation;
		},
		get background() {
			return conversations.get().background;
		},
		// The folder may change.
		get saved() {
			return sessions();
		},
		agents,
		jobs: () => conversations.made()?.tools()?.loadedCommands()?.jobs.list() ?? [],
		moveToBackground: () => conversations.made()?.tools()?.loadedCommands()?.foreground.moveToBackground(),
		async listForeign(signal) {
			const {listForeign} = await import('../session/foreign-sessions.ts');
			return listForeign({home, env, folder: folder.path(), hide: secrets.hide}, signal);
		},
		async importFrom(wish, signal) {
			const {importSessions} = await import('../session/import-sessions.ts');
			return importSessions({home, env, folder: folder.path(), hide: secrets.hide}, wish, signal);
		},
		resume: createResume({
			findAgent: agent => savedAgent(local, agent),
			isAgentGiven: store.getState().agent !== undefined,
			store,
			conversations: conversations.get,
			sessions,
			folder,
			isModelGiven: model !== undefined,
			async settle(session, handoff) {
				const {settleHandoff} = await import('../session/settle-handoff.ts');
				return settleHandoff(session, handoff, {env, version, record: sessions().record});
			},
			changes: agent.changes.open,
		}),
		askWith: approvals.askWith,
		answerWith,
		onRecord,
	};
}

/** Returns a function that opens what a line needs that the user begins to type. */
function preparer(
	options: ProgramOptions,
	local: LocalState,
	servers: Servers,
	{access, conversations}: AgentParts,
	stop: AbortSignal,
): PromptsPart['prepare'] {
	return async line => {
		const {model, connection} = options.store.getState();
		const isLocal = connection.profile === localConnection.profile;
		if (!isLocal) {
			void (await servers.platform.logins()).checkContact();
		}

		if (options.store.getState().agent) {
			// Starting it tells nobody anything before its first message.
			void conversations
				.get()
				.front()
				.grants()
				.external?.current()
				?.open(stop, true)
				.catch(() => undefined);
		} else if (!isCommandLine(line)) {
			// A connection tells a host, and the network, that somebody is there.
			await access.prepare(model, await conversations.get().conversation.isAgreed(model));
			await practiseSending(line, local);
		} else if (isLocal && access.isDemo(model)) {
			await servers.embedded.open();
			// The ids of its demo data complete what is typed.
			completeValues(options, local, servers);
		}
	};
}

/** Loads and runs what a message passes through between Enter and its request, apart from the model's access. */
async function practiseSending(text: string, {secrets}: LocalState): Promise<void> {
	await import('../agent/mentions/image-source.ts');
	await import('../session/budget-guard.ts');
	secrets.hide(text);
}

function warningsOf(
	{store, insecureHttp, notices = []}: ProgramOptions,
	profile: ResolvedProfile | undefined,
	{access}: AgentParts,
): readonly string[] {
	const warnings = [
		...notices,
		profile?.notice,
		access.notice(store.getState().model),
		insecureHttp && plainHttpWarning,
	];
	return warnings.filter(warning => typeof warning === 'string');
}

/**
 * Opens the state folder for a command that must run without one, too. Returns the options; if it can't be opened, with an
 * environment whose state folder doesn't exist, and with what is wrong.
 */
function withAbsentHome(options: ProgramOptions): ProgramOptions {
	const {env} = options;
	let path: string | undefined;
	try {
		path = homePath(env);
		openHome(env);
		return options;
	} catch (error) {
		if (!(error instanceof AppError)) {
			throw error;
		}

		const absent = join(tmpdir(), `service-${randomUUID()}`);
		// A user without a home folder has none that could be searched.
		const own = path === undefined ? {HOME: absent} : {};
		return {...options, env: {...env, ...own, SERVICE_HOME: absent}, homeFault: {path, error}};
	}
}

/** Creates the access to what the user typed, and to files that they mention. `signal` ends lists of files. */
function promptsPart(
	{store}: ProgramOptions,
	{home, folder, prompts, rules}: LocalState,
	prepare: PromptsPart['prepare'],
	signal: AbortSignal,
): PromptsPart {
	return {
		prepare,
		loadHistory: () => loadPromptHistory(home),
		remember: prompts.remember,
		async openDrafts() {
			const {openDrafts} = await import('../config/drafts.ts');
			return openDrafts(home.draftsFile, {folder: folder.path(), profile: store.getState().connection.profile});
		},
		async listPaths() {
			const {listPaths} = await import('../agent/mentions/path-list.ts');
			const places = {stateFolder: home.path, rules: () => ({folder: folder.path(), entries: rules.list()})};
			return listPaths(folder.isOpen() ? folder.path() : undefined, places, signal);
		},
		async checkMedia(message) {
			const {checkMedia} = await import('../agent/mentions/image-source.ts');
			const {transcript, model, agent} = store.getState();
			if (agent) {
				return;
			}

			// A run keeps its model, and a message that is queued joins it.
			const asked = transcript.run?.model ?? model;
			await checkMedia(message, {model: asked, folder: folder.path(), homeFolder: folder.home});
		},
		async keepImage(bytes, what) {
			const {keepPasted} = await import('../agent/mentions/image-source.ts');
			return keepPasted(bytes, createImageFolder(home.images), what);
		},
	};
}

/** Creates the access to files that the user names. */
function filesPart({connect = true}: ProgramOptions, {home, folder}: LocalState): FilesPart {
	const inFolder = (path: string) => resolve(folder.path(), path);
	return {
		async keepCopy(text) {
			await replaceFile(home.copiedFile, text);
			return home.copiedFile;
		},
		async keepExport(name, content) {
			const {makePrivateFolder} = await import('../storage/private-folder.ts');
			const exports = join(home.path, 'exports');
			makePrivateFolder(exports, {hint: 'Replace it with a folder of your own.'});
			return writeNewFile(join(exports, name), content);
		},
		write: (path, content) => writeNewFile(inFolder(path), content),
		save: (path, chunks) => saveNewFile(inFolder(path), chunks),
		read: (path, limit) =>
			readBytes(path === '-' ? path : inFolder(path), {
				maxBytes: limit,
				// That of the app is its keys.
				stdin: connect ? undefined : process.stdin,
			}),
	};
}

/** Returns a function that builds the context of one command: the program, with servers as the command reaches them. */
function contextsOf(
	parts: SharedProgram,
	traces: Traces,
	{options, local, servers}: {readonly options: ProgramOptions; readonly local: LocalState; readonly servers: Servers},
): Program['forCommand'] {
	const serversFor = (request: CommandRequest): ServersPart => {
		return {
			platform: servers.platform,
			open: place => servers.platform.open(request, place),
			traces: traces.forCommand({live: request.ui.live !== undefined, flags: request.flags}),
			diagnose: createDoctor(options, local, servers, request, parts.mcp),
		};
	};
	return request => ({...request, program: {...parts, servers: serversFor(request)}});
}

/** Selects the user's theme, now and whenever it is saved. Returns its colours for output that no terminal is asked about. */
function followTheme({store, env}: ProgramOptions, settings: UserSettings): () => Promise<Scheme> {
	const select = () => store.getState().setTheme(settings.value('theme'));
	select();
	settings.onChange(key => (key === 'theme' ? select() : undefined));
	return async () => {
		const theme = settings.value('theme');
		if (theme === defaultTheme) {
			return terminalScheme;
		}

		const {knownScheme} = await import('../terminal/theme/themes.ts');
		return knownScheme(theme, env);
	};
}
