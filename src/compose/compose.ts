import {randomUUID} from 'node:crypto';
import {realpathSync} from 'node:fs';
import {resolve} from 'node:path';
import process from 'node:process';
import {commands} from '../../commands/index.ts';
import {type Decide, refuseAll} from '../agent/approval/approval.ts';
import {instructions} from '../agent/instructions.ts';
import {createModelAccess} from '../agent/model-access.ts';
import type {LoginClock} from '../client/device-flow.ts';
import type {ComposeOptions, Program} from '../command/program.ts';
import {createCompletionValues} from '../config/completion-values.ts';
import {openConfig} from '../config/config.ts';
import {createFolderAccess} from '../config/folder-access.ts';
import type {Keychain} from '../config/keychain.ts';
import {createKnownSecrets} from '../config/known-secrets.ts';
import {openRecents} from '../config/recents.ts';
import {resolveProfile} from '../config/resolve-profile.ts';
import {openSightings} from '../config/sightings.ts';
import {debugRecord} from '../core/debug.ts';
import type {Environment} from '../core/environment.ts';
import {once} from '../core/once.ts';
import {plainHttpWarning} from '../core/origin.ts';
import type {Recorded} from '../core/session/event.ts';
import type {Tool} from '../core/session/tool.ts';
import {systemTailClock} from '../logs/tail-clock.ts';
import {createCatalogAccess} from '../platform/catalog-access.ts';
import {createEmbeddedAccess} from '../platform/embedded-access.ts';
import {createModels} from '../platform/models.ts';
import {createPlatform} from '../platform/platform-on-demand.ts';
import {createConversation} from '../session/conversation.ts';
import {createResume} from '../session/resume-session.ts';
import type {DebugLog} from '../storage/debug-log.ts';
import {openHome} from '../storage/home.ts';
import {logOf} from '../storage/journal-log.ts';
import {saveNewFile, writeNewFile} from '../storage/new-file.ts';
import {appendPrompt, loadPromptHistory} from '../storage/prompt-history-file.ts';
import {readBytes} from '../storage/read-bytes.ts';
import {createSessionAccess} from '../storage/session-access.ts';
import {localConnection} from '../store/connection-slice.ts';
import type {AppStore} from '../store/store.ts';
import {createNotifier} from '../watch/notifier.ts';
import {createSandboxExpiry} from '../watch/watch-expiry.ts';
import {createWatches} from '../watch/watch-list.ts';
import {transportsWith} from './transports.ts';

type Options = ComposeOptions & {
	readonly store: AppStore;
	readonly env: Environment;
	/** The folder that the program works in. */
	readonly folder: string;
	/** The bundled worker of the embedded server. */
	readonly workerUrl: URL;
	readonly version: string;
	/** Where secrets go; without one they stay in the file. */
	readonly keychain?: Keychain;
	/** What a login through a browser waits by; the clock of the machine otherwise. */
	readonly loginClock?: LoginClock;
	/** Gets an entry for each request and record. */
	readonly debug?: DebugLog | undefined;
};

/** Builds the real parts. Throws `AppError` for a state folder or a configuration that cannot be used. */
export function compose(options: Options): Program {
	const {store, env, workerUrl, version, maxTurns, budgetUsd, debug} = options;
	const home = openHome(env);
	const config = openConfig(home, options.keychain);
	const folder = createFolderAccess({folder: realpathSync(options.folder), env, config});
	const recents = openRecents(home.recentsFile);
	const sightings = openSightings(home.sightingsFile);
	/** Ends what the program asks for by itself. */
	const stop = new AbortController();
	const listeners: Array<(record: Recorded) => void> = debug ? [record => debug.write(debugRecord(record))] : [];
	const insecureHttp = options.insecureHttp ?? false;

	const secrets = createKnownSecrets(config, env);
	debug?.hideWith(secrets.hide);
	const createTransport = transportsWith({config, env, version, insecureHttp, secrets, debug});
	const embedded = createEmbeddedAccess({store, recents, sightings, workerUrl, createTransport});
	const catalog = createCatalogAccess({store, demoInfo: embedded.modelInfo});
	const loadPrices = async () => (await catalog.load()).priceOf;
	const platform = createPlatform({
		store,
		config,
		env,
		recents,
		sightings,
		embedded: embedded.open,
		clock: options.loginClock,
		createTransport,
		insecureHttp,
	});

	const loadAllTools = once(async () => {
		const {createFolderTools, createLogTools} = await import('../agent/tools/tools.ts');
		const ofLogs = createLogTools(async environment => {
			const {server, logOf: sourceOf} = await platform.openConnected();
			return {server, source: sourceOf(environment), session: store.getState().transcript.session};
		});
		return {ofFolder: createFolderTools({stateFolder: home.path}), ofLogs};
	});
	const loadTools = async (): Promise<readonly Tool[]> => {
		const {ofFolder, ofLogs} = await loadAllTools();
		return folder.isOpen() ? [...ofFolder, ...ofLogs] : ofLogs;
	};

	const access = createModelAccess({
		config,
		env,
		embedded: embedded.open,
		createTransport,
		tools: loadTools,
		instructions: async () =>
			instructions({
				workspace: folder.path(),
				date: new Date().toISOString().slice(0, 10),
				platform: process.platform,
				tools: await loadTools(),
			}),
	});

	const sessions = () =>
		createSessionAccess({
			home,
			folder: folder.path(),
			onState: state => store.getState().setUnsaved(state.saved ? undefined : state.reason),
		});

	/** Without a screen nobody is asked: the command line said what is allowed. */
	let decide: Decide = options.approve === 'all' ? async () => 'once' : refuseAll;
	const conversation = createConversation({
		store,
		newId: randomUUID,
		now: () => new Date().toISOString(),
		openModel: access.open,
		loadTools,
		workspace: folder.path,
		decide: (request, signal) => decide(request, signal),
		hide: secrets.hide,
		readLog: async session => (await sessions().read(await sessions().find(session))).records,
		openLog: session => logOf(sessions().create(session)),
		onRecord: record => {
			for (const listener of listeners) {
				listener(record);
			}
		},
		...(maxTurns !== undefined && {maxTurns}),
		...(budgetUsd !== undefined && {budget: {limitUsd: budgetUsd, loadPrices}}),
	});

	const notifier = createNotifier(store, conversation);
	const watches = createWatches({store, conversation, notifier, clock: systemTailClock});
	const expiry = createSandboxExpiry({store, notifier, clock: systemTailClock});

	const models = createModels({store, config, access, catalog: catalog.load, createTransport});

	store.getState().setValuesOf(
		createCompletionValues({
			config,
			recents,
			profile: () => store.getState().connection.profile,
			models: catalog.modelIds,
		}),
	);

	const connect = () => {
		const profile = resolveProfile({data: config.read(), env, flags: {profile: options.profile}});
		const state = store.getState();
		state.setConnection(profile ? {profile: profile.name, server: profile.server, state: 'ready'} : localConnection);
		state.setModel(options.model ?? access.initial());
		return profile;
	};

	const profile = options.connect === false ? undefined : connect();

	return {
		folder,
		conversation,
		entries: commands,
		contextFor: ({interact, live, flags, signal}) => ({
			store,
			config,
			recents: {
				recall: recents.recall,
				forget(profile) {
					recents.forget(profile);
					sightings.forget(profile);
				},
			},
			sightings,
			env,
			flags,
			signal,
			debug: debug?.write,
			interact,
			sessions: sessions(),
			watches,
			expiry,
			live,
			models,
			platform: platform.forCommand({interact, live, flags, signal}),
			folder: folder.path(),
			entries: commands,
			writeFile: (path, content) => writeNewFile(resolve(folder.path(), path), content),
			saveFile: (path, chunks) => saveNewFile(resolve(folder.path(), path), chunks),
			readFile: (path, limit) =>
				readBytes(path === '-' ? path : resolve(folder.path(), path), {limit, stdin: live ? undefined : process.stdin}),
		}),
		resume: createResume({store, conversation, sessions, folder}),
		savedSessions: () => sessions().list(false),
		loadCatalog: loadPrices,
		async startEmbedded() {
			const {connection, model} = store.getState();
			if (connection.profile === 'local' || access.isDemo(model)) {
				await embedded.open();
			}
		},
		chooseModel: choose => models.choose(choose, stop.signal),
		rememberModel: models.remember,
		isDemo: () => access.isDemo(store.getState().model),
		lacksKey: () => access.lacksKey(store.getState().model),
		warnings: () =>
			[profile?.notice, access.notice(store.getState().model), insecureHttp && plainHttpWarning].filter(
				warning => typeof warning === 'string',
			),
		secrets,
		askWith(ask) {
			decide = ask;
		},
		onRecord: listener => listeners.push(listener),
		loadHistory: () => loadPromptHistory(home),
		// A prompt that cannot be kept for later is no reason to stop.
		remember: prompt => void appendPrompt(home, prompt).catch(() => undefined),
		close: async () => {
			stop.abort();
			expiry.close();
			notifier.close();
			await Promise.all([conversation.close(), watches.close(), recents.settle(), sightings.settle()]);
			await embedded.close();
		},
	};
}
