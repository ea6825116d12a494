import {randomUUID} from 'node:crypto';
import {commands} from '../../commands/index.ts';
import {createRuleBook} from '../../src/agent/approval/rule-book.ts';
import {judgeByRules} from '../../src/agent/approval/ruling.ts';
import {createProject} from '../../src/agent/project/project.ts';
import {createUserTools} from '../../src/agent/tools/tools.ts';
import type {Entry} from '../../src/command/context.ts';
import {openConfig} from '../../src/config/config.ts';
import {openDrafts} from '../../src/config/drafts.ts';
import {createFolderAccess} from '../../src/config/folder-access.ts';
import {createKnownSecrets} from '../../src/config/known-secrets.ts';
import {openTrustStore} from '../../src/config/project/trust-store.ts';
import {openRecents} from '../../src/config/recents.ts';
import {openUserSettings} from '../../src/config/settings/user-settings.ts';
import {openSightings} from '../../src/config/sightings.ts';
import type {Environment} from '../../src/core/environment.ts';
import {indexPaths} from '../../src/core/fuzzy-paths.ts';
import {redactKnown} from '../../src/core/secrets/redact.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import type {Recorded} from '../../src/core/session/event.ts';
import type {AskUser} from '../../src/core/session/user-question.ts';
import {systemTailClock} from '../../src/logs/tail-clock.ts';
import type {Platform} from '../../src/platform/platform.ts';
import {createTraces} from '../../src/platform/traces/traces.ts';
import type {ModelCall} from '../../src/providers/provider.ts';
import {openSession, type SessionParts} from '../../src/session/conversation.ts';
import {createConversations} from '../../src/session/conversations.ts';
import {createResume} from '../../src/session/resume-session.ts';
import {createFolderAgents} from '../../src/storage/folder-agents.ts';
import {createSessionAccess} from '../../src/storage/session-access.ts';
import type {AppStore} from '../../src/store/store.ts';
import {terminalScheme} from '../../src/terminal/text/style.ts';
import type {AppProgram} from '../../src/ui/open-conversation.ts';
import {createNotifier} from '../../src/watch/notifier.ts';
import {createSandboxExpiry} from '../../src/watch/watch-expiry.ts';
import {createWatches} from '../../src/watch/watch-list.ts';
import {approvalsOf, scriptedModel} from '../agent/scripted.ts';
import {temporaryFolder, temporaryHome} from '../storage/temporary.ts';

type Options = {
	readonly store: AppStore;
	readonly ask?: ModelCall;
	readonly more?: readonly Entry[];
	readonly home?: ReturnType<typeof temporaryHome>;
	readonly folder?: string;
	readonly loadHistory?: () => readonly string[];
	readonly env?: Environment;
	/** True if the agent has the tools that the user sees and answers. */
	readonly userTools?: boolean;
	readonly loadHooks?: SessionParts['loadHooks'];
};

/** The program with real parts, but for the model, the servers and the catalog of models. */
export function testProgram({
	store,
	ask,
	more = [],
	home = temporaryHome(),
	folder = temporaryFolder(),
	loadHistory = () => [],
	env: given = {},
	userTools = false,
	loadHooks,
}: Options) {
	let askUser: AskUser | undefined;
	const call: ModelCall = ask ?? scriptedModel([{type: 'finish', reason: 'stop'}]).ask;
	const sessions = createSessionAccess({home, folder, onState: () => undefined});
	const env = {TERM: 'xterm', ...given};
	const access = createFolderAccess({folder, env, config: openConfig(home)});
	const project = createProject({
		folder: access.path,
		homeFolder: access.home,
		stateFolder: home.path,
		store: openTrustStore(home.trustFile),
		wideFolder: access.wide,
		trustsAll: false,
	});
	const records: Recorded[] = [];
	let ids = 0;
	const place = `0f9b4e6a${randomUUID().slice(8, -12)}`;
	const newId = () => `${place}${String(++ids).padStart(12, '0')}`;
	const conversations = createConversations({
		store,
		open: slot =>
			openSession({
				store: slot.store,
				newId,
				now: () => new Date().toISOString(),
				openModel: async () => call,
				...(loadHooks && {loadHooks}),
				loadTools: async () => (userTools ? createUserTools(() => askUser) : []),
				workspace: () => access.path(),
				createApprovals: () => approvalsOf((_, signal) => slot.inFront(async () => ({allowed: false}), signal)),
				hide: redactKnown,
				readLog: async session => (await sessions.read(await sessions.find(session))).records,
				openLog(session) {
					const journal = sessions.create(session);
					return {
						append: record => void journal.then(opened => opened.append(record)),
						flush: async () => void (await (await journal).flush()),
						settle: async () => (await journal).settle(),
						close: async () => void (await (await journal).close()),
					};
				},
				onRecord: record => records.push(record),
			}),
	});
	const {conversation, background} = conversations;
	const notifier = createNotifier(store, conversation.notice);
	const watches = createWatches({store, conversation: () => conversation, notifier, clock: systemTailClock});
	const expiry = createSandboxExpiry({store, notifier, clock: systemTailClock});
	const rules = createRuleBook({
		flags: [],
		folder: () => folder,
		path: home.approvalsFile,
		hide: redactKnown,
	});
	const places = {stateFolder: home.path};
	const approvals = {
		rules,
		judge: judgeByRules({list: rules.list, workspace: () => folder, places, hide: redactKnown}),
	};
	const entries = [...commands, ...more];
	const remembered: string[] = [];
	const chatted: string[] = [];
	const prepared: string[] = [];
	const settings = openUserSettings({SERVICE_HOME: home.path});
	const platform: Platform = {
		tlsOf: async () => ({protocol: 'TLSv1.3', issuer: 'Test'}),
		anonymous: () => Promise.reject(new Error('There is no network here.')),
		embedded: async () => ({url: 'http://127.0.0.1:1', token: secret('token')}),
		logins: async () => ({
			recognize: async () => undefined,
			prove: async () => undefined,
			proveLogin: async () => undefined,
			logIn: async () => undefined,
			logOut: async () => ({revoked: undefined, faults: []}),
			open: () => Promise.reject(new Error('There is no platform here.')),
			checkContact: async () => undefined,
		}),
		open: () => Promise.reject(new Error('There is no platform here.')),
		openConnected: () => Promise.reject(new Error('There is no platform here.')),
	};
	const parts = {
		store,
		local: {
			config: openConfig(home),
			settings,
			recents: openRecents(home.recentsFile),
			sightings: openSightings(home.sightingsFile),
			env: {},
			version: '0.0.0',
			secrets: createKnownSecrets(openConfig(home), {}),
			scheme: async () => terminalScheme,
		},
		models: {
			catalog: async () => ({
				priceOf: () => undefined,
				infoOf: () => undefined,
				models: [],
				date: '2026-01-01',
				source: 'nowhere',
			}),
			hostModels: async () => [],
			foundModels: async () => [],
			checkKey: async () => ({isVerified: true as const, names: []}),
			initial: () => 'custom/demo',
			loadPrices: async () => () => undefined,
		},
		model: {
			choose: async () => undefined,
			remember: (model: string) => void chatted.push(model),
			isDemo: () => true,
			lacksKey: () => false,
			contextWindow: async () => ({system: '', instructions: '', skills: '', tools: [], size: undefined}),
		},
		session: {
			conversation,
			background,
			saved: sessions,
			agents: async () => createFolderAgents(home, access.path),
			jobs: () => [],
			moveToBackground: () => undefined,
			resume: createResume({
				store,
				conversations: () => conversations,
				sessions: () => sessions,
				folder: access,
				settle: async () => undefined,
				changes: async () => ({finish: async () => undefined}),
			}),
			listForeign: async () => ({sessions: [], notes: []}),
			importFrom: () => Promise.reject(new Error('Imports are tested without a screen.')),
			askWith: () => undefined,
			answerWith(given: AskUser) {
				askUser = given;
			},
			onRecord: () => undefined,
		},
		project: {
			folder: access,
			files: project,
			changes: () => Promise.reject(new Error('no changes here')),
			approvals,
		},
		prompts: {
			loadHistory,
			remember: (prompt: string) => void remembered.push(prompt),
			openDrafts: async () => openDrafts(home.draftsFile, {folder, profile: store.getState().connection.profile}),
			prepare: async (line: string) => void prepared.push(line),
			listPaths: async () => indexPaths([]),
			checkMedia: async () => undefined,
			keepImage: () => Promise.reject(new Error('no images here')),
		},
		files: {
			keepCopy: async () => home.copiedFile,
			keepExport: async (name: string) => name,
			write: async (path: string) => path,
			save: async (path: string) => path,
			read: async () => new Uint8Array(),
		},
		watches: {logs: watches, expiry},
		mcp: {
			servers: async () => [],
			faults: async () => [],
			status: async () => [],
			reconnect: async () => undefined,
			change: async () => '',
			logIn: async () => undefined,
			logOut: async () => 'none' as const,
			suggestResources: async () => [],
		},
		agents: {
			list: () => [],
			find: (name: string) => ({name, command: [name]}),
			add: async () => undefined,
			remove: async () => false,
			check: () => Promise.reject(new Error('no agents here')),
			current: () => undefined,
		},
		commands: {all: () => entries, refresh: async () => []},
	};
	const program: AppProgram = {
		...parts,
		forCommand: request => ({
			...request,
			program: {
				...parts,
				servers: {
					platform,
					open: place => platform.open(request, place),
					diagnose: async () => [],
					traces: createTraces({
						...{store, config: openConfig(home), env: {}, version: '0.0.0', loadPrices: async () => () => undefined},
						secrets: createKnownSecrets(openConfig(home), {}),
						openServer: () => Promise.reject(new Error('There is no platform here.')),
						createTransport: () => Promise.reject(new Error('There is no network here.')),
					}).forCommand({live: request.ui.live !== undefined, flags: request.flags}),
				},
			},
		}),
		warnings: () => [],
		endTraces: async () => undefined,
		async close() {
			expiry.close();
			notifier.close();
			await Promise.all([watches.close(), conversation.close()]);
		},
	};
	return {program, project, access, sessions, records, remembered, chatted, prepared, home, folder};
}
