import {randomUUID} from 'node:crypto';
import type {ModelWindows} from '../agent/context/model-windows.ts';
import type {ImageStore} from '../agent/images/model-images.ts';
import type {MentionSource} from '../agent/mentions/read-mentions.ts';
import type {ModelAccess} from '../agent/model-access.ts';
import type {Places} from '../agent/policy/protected-places.ts';
import {hookCommands} from '../agent/project/effects.ts';
import {createSessionBindings, type SessionBindings} from '../agent/session-bindings.ts';
import type {CommandSession} from '../agent/tools/command/command-session.ts';
import type {Job} from '../agent/tools/command/jobs.ts';
import type {SandboxAddress, ServicePlaces} from '../client/sandbox-services.ts';
import {dayBudget} from '../config/settings/saved-settings.ts';
import {once} from '../core/once.ts';
import type {Recorded} from '../core/session/event.ts';
import type {Tool} from '../core/session/tool.ts';
import type {Transcript} from '../core/session/transcript.ts';
import {costOfMessage, isTurn} from '../core/session/usage.ts';
import type {AskUser} from '../core/session/user-question.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {Platform} from '../platform/platform.ts';
import {type OpenSession, openSession} from '../session/conversation.ts';
import {type Conversations, createConversations, type Slot} from '../session/conversations.ts';
import {logOf} from '../session/recorder.ts';
import {cleanImagesLater, createImageFolder} from '../storage/images/image-folder.ts';
import type {BackgroundSession} from '../store/session-slice.ts';
import type {AppStore} from '../store/store.ts';
import type {ApprovalParts} from './approval-parts.ts';
import {askerOf} from './asker.ts';
import type {ChangeAccess} from './change-access.ts';
import {createExternalAccess} from './external-parts.ts';
import {type LocalState, learnFolder} from './local-state.ts';
import type {McpParts} from './mcp-parts.ts';
import type {ProgramOptions} from './program-options.ts';
import type {AgentProject} from './project-parts.ts';
import type {Servers} from './servers.ts';

/** What all conversations share. */
type Shared = {
	readonly access: ModelAccess;
	readonly approvals: ApprovalParts;
	readonly changes: ChangeAccess;
	readonly ofProject: AgentProject;
	readonly mcp: McpParts;
	readonly windows: ModelWindows;
	/** Returns what asks the user; undefined if nobody can be asked. */
	readonly ask: () => AskUser | undefined;
	readonly interact: () => Interaction | undefined;
	readonly onRecord: (record: Recorded) => void;
	readonly onBackground: (session: BackgroundSession) => void;
	/** Gets a job of the session in front that has ended without that anybody stopped it. */
	readonly onJobEnd: (job: Job) => void;
};

export type ConversationParts = Conversations & {
	/** Returns the tools of the session in front. */
	readonly tools: () => ToolLoader | undefined;
};

/** Creates the conversation. Each of its sessions has tools of its own. */
export function createConversationParts(
	options: ProgramOptions,
	local: LocalState,
	servers: Servers,
	shared: Shared,
): ConversationParts {
	const {access, approvals, changes, ofProject, mcp, windows, ask, interact, onRecord, onBackground, onJobEnd} = shared;
	cleanImagesLater(local.home);
	const loaders = new WeakMap<OpenSession, ToolLoader>();
	const {loadHooks, compactionShare, capLimits} = ofProject;
	const conversations = createConversations({
		store: options.store,
		open(slot) {
			const own = {...options, store: slot.store};
			// Nobody may be there to answer a watch.
			const isUnattended = () => session.grants().starter.startedBy === 'watch';
			const askHere = () => (isUnattended() ? undefined : askIn(slot, ask()));
			const places = {
				stateFolder: local.home.path,
				rules: approvals.fileRulesIn(slot),
				hooks: () => hookCommands(local.project),
			};
			const onEnd = (job: Job) => (ask() && slot.isFront() ? onJobEnd(job) : undefined);
			const tools = createToolLoader(own, local, servers, ofProject, places, {ask: askHere, onJobEnd: onEnd});
			const tellUser = (text: string) => session.emit({type: 'notice', level: 'info', text});
			const loadTools = async (signal?: AbortSignal) => [
				...(await tools.loadTools()),
				...(await ofProject.skillTools()),
				// Without a screen, what isn't there for the first request never joins.
				...(await mcp.tools(signal, askHere, ask() ? undefined : tellUser)),
			];
			const endTools = async () => {
				if (conversations.background.list().length === 0) {
					mcp.reset();
				}

				// A script ends with its conversation.
				await Promise.all([tools.endTools(), ask() ? undefined : mcp.end()]);
			};
			const session: OpenSession = openSession({
				...conversationOptions(own, local, servers, mcp.resources),
				windows,
				loadTools,
				endTools,
				async loadShell() {
					const [{createUserShell}, {foreground}] = await Promise.all([
						import('../agent/user-shell.ts'),
						tools.commands(),
					]);
					return createUserShell(options.env, foreground);
				},
				compactionShare,
				capLimits,
				onRecord,
				loadHooks: id =>
					loadHooks(id, tools.commands, async () => {
						const {openStartGate} = await import('./start-gates.ts');
						const attended = () => (isUnattended() ? undefined : interact());
						return openStartGate(options, local, attended, slot.inFront);
					}),
				toolWarnings: mcp.warnings,
				commandPlace: () => (ask() ? 'app' : 'shell'),
				openModel: (model, task, binding) => access.open(model, task, askerOf(slot.store.getState()), binding),
				isFront: slot.isFront,
				createBindings: transcript => createBindings(transcript, slot, servers, shared),
				trackChanges: changes.track,
				openExternal: transcript => createExternalAccess(own, local, slot.store, transcript),
				createApprovals: approvals.createApprovalsIn(slot),
			});
			loaders.set(session, tools);
			return session;
		},
		onFront: ({rules}) => local.rules.startSession(rules),
		onBackground,
	});
	local.reportTo(conversations.storeOf);
	return {...conversations, tools: () => loaders.get(conversations.front())};
}

/** Returns where the requests of a session may go. */
function createBindings(
	{usage}: Transcript,
	slot: Slot,
	servers: Servers,
	{access, interact}: Shared,
): SessionBindings {
	const last = [...usage.values()].findLast(isTurn);
	return createSessionBindings({
		resolve: access.resolve,
		place: () => (interact() ? 'app' : 'shell'),
		recorded: last && {
			...last,
			async isDearer() {
				const before = costOfMessage(last, () => undefined);
				const now = costOfMessage({...last, price: undefined}, await servers.loadPrices());
				return before !== null && now !== null && now > before;
			},
		},
		async ask(change, signal) {
			const inquire = interact()?.inquire;
			if (!inquire) {
				return false;
			}

			const {questionAbout} = await import('../agent/changed-binding.ts');
			const {question, about} = questionAbout(change);
			const answers = [{key: 'y', label: 'Yes', value: 'yes'}];
			const inquiry = {question, about, answers, isOfRun: true};
			return (await slot.inFront(shown => inquire(inquiry, shown), signal)) === 'yes';
		},
	});
}

/** Returns what asks the user while the conversation is in front. A step of a form that is asked again follows no key at once. */
function askIn(slot: Slot, ask: AskUser | undefined): AskUser | undefined {
	return (
		ask &&
		((question, signal) => {
			let asked = question;
			return slot.inFront(shown => {
				const again = question.form ? {...question, form: {...question.form, isNext: false}} : question;
				const answer = ask(asked, shown);
				asked = again;
				return answer;
			}, signal);
		})
	);
}

/** Returns what reads images that were pasted, loaded with the first one. */
function pastedImages(images: ImageStore): MentionSource {
	return {
		async read(name, context) {
			if (!name.startsWith('image:')) {
				return undefined;
			}

			const {createImageSource} = await import('../agent/mentions/image-source.ts');
			return createImageSource(images).read(name, context);
		},
	};
}

function conversationOptions(
	{store, maxTurns, budgetUsd}: ProgramOptions,
	local: LocalState,
	{loadPrices, catalog}: Servers,
	resources: MentionSource,
) {
	const {home, config, folder, secrets, sessions} = local;
	const images = createImageFolder(home.images);
	return {
		store,
		newId: randomUUID,
		now: () => new Date().toISOString(),
		workspace: folder.path,
		hide: secrets.hide,
		ownSecrets: secrets.own,
		async maskResult(text: string, isAnew: boolean) {
			await learnFolder(local, isAnew);
			return secrets.hide(text);
		},
		priceRequest: catalog.priceRequest,
		limits: {
			day: () => dayBudget(config.read()),
			async requestsToday() {
				const {today} = await import('../session/budget-guard.ts');
				return (await sessions().ledger(today())).requests;
			},
			loadPrices,
		},
		images,
		mentions: {
			hide: secrets.hide,
			beforeReading: () => learnFolder(local),
			homeFolder: folder.home,
			sources: [pastedImages(images), resources],
		},
		readLog: async (session: string) => (await sessions().read(await sessions().find(session))).records,
		openLog: (session: string) => logOf(sessions().create(session)),
		...(maxTurns !== undefined && {maxTurns}),
		...(budgetUsd !== undefined && {budget: {limitUsd: budgetUsd, loadPrices}}),
	};
}

type ToolLoader = {
	/** Loads what runs their commands. */
	readonly commands: () => Promise<CommandSession>;
	readonly loadTools: () => Promise<readonly Tool[]>;
	/** Ends their commands. */
	readonly endTools: () => Promise<void>;
	/** Returns the same; undefined before it is loaded. */
	readonly loadedCommands: () => CommandSession | undefined;
};

/**
 * Returns what loads the tools that the agent may use now: those of logs, of the web and for the user, and those of the
 * folder if it may read that.
 */
function createToolLoader(
	{store, env, version, insecureHttp = false}: ProgramOptions,
	{folder, secrets}: LocalState,
	{platform, services}: Servers,
	{withNested}: AgentProject,
	places: Places,
	{ask, onJobEnd}: {readonly ask: () => AskUser | undefined; readonly onJobEnd: (job: Job) => void},
): ToolLoader {
	let commands: CommandSession | undefined;
	const loadCommands = once(async () => {
		const {createCommandSession} = await import('../agent/tools/command/command-session.ts');
		commands = createCommandSession({
			places,
			onJobs: running => store.getState().setJobs(running),
			onJobEnd,
			onForeground: count => store.getState().setForeground(count),
		});
		return commands;
	});
	const loadAll = once(async () => {
		const [{createFolderTools, createLogTools, ...tools}, {createWebRequests}, {hasProxy}] = await Promise.all([
			import('../agent/tools/tools.ts'),
			import('../net/web/web-request.ts'),
			import('../net/proxy-route.ts'),
		]);
		const ofLogs = createLogTools(async environment => {
			const {server, logOf: sourceOf} = await platform.openConnected();
			return {server, source: sourceOf(environment), session: store.getState().transcript.session};
		});
		const ofWeb = tools.createWebTools({
			send: createWebRequests({env, userAgent: `service/${version}`}),
			sandboxAt: knownSandboxes(store, platform, services),
			isProxied: hasProxy(env),
			insecureHttp,
			hide: secrets.hide,
			keep: async text => (folder.isOpen() ? commands?.keep(text) : undefined),
		});
		const ofFolder = createFolderTools(places, await loadCommands());
		const others = [...ofWeb, ...ofLogs, ...tools.createUserTools(ask)];
		return {ofFolder, others, ofTasks: tools.createTaskTools()};
	});
	return {
		commands: loadCommands,
		async loadTools() {
			const {ofFolder, others, ofTasks} = await loadAll();
			return folder.isOpen() ? [...ofFolder.map(withNested), ...ofTasks, ...others] : others;
		},
		endTools: async () => commands?.end(),
		loadedCommands: () => commands,
	};
}

/** How long a list of the workspace's sandboxes counts. */
const validMs = 60_000;
const timeoutMs = 3000;

/**
 * Returns what finds the sandbox with a service at a URL: one that was created or listed here, else one of those that the
 * connected server lists. Never throws: without a list there is none, and the question about the address says so.
 */
function knownSandboxes(store: AppStore, platform: Platform, services: ServicePlaces) {
	let listedAtMs = Number.NEGATIVE_INFINITY;

	const list = async () => {
		listedAtMs = performance.now();
		try {
			const {client, scope} = await platform.openConnected();
			await client.listEnvironments({params: await scope('org', 'workspace')}, AbortSignal.timeout(timeoutMs));
		} catch {
			// A server that has no such list, or no login, names no sandboxes.
		}
	};

	return async (url: string): Promise<SandboxAddress | undefined> => {
		const isConnected = store.getState().connection.state === 'ready';
		if (!services.at(url) && isConnected && performance.now() - listedAtMs > validMs) {
			await list();
		}

		return services.at(url);
	};
}
