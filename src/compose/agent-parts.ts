import {randomUUID} from 'node:crypto';
import type {ImageStore} from '../agent/images/model-images.ts';
import type {MentionSource} from '../agent/mentions/read-mentions.ts';
import {createModelAccess, type ModelAccess} from '../agent/model-access.ts';
import type {CommandSession} from '../agent/tools/command/command-session.ts';
import {dayBudget} from '../config/settings.ts';
import {debugRecord} from '../core/debug.ts';
import {once} from '../core/once.ts';
import type {Recorded} from '../core/session/event.ts';
import type {Tool} from '../core/session/tool.ts';
import type {AskUser} from '../core/session/user-question.ts';
import {createModels} from '../platform/models.ts';
import {createConversation} from '../session/conversation.ts';
import {cleanImagesLater, createImageFolder} from '../storage/images/image-folder.ts';
import {logOf} from '../storage/journal-log.ts';
import {effortOf} from '../store/connection-slice.ts';
import {createApprovalParts} from './approval-parts.ts';
import {createChangeAccess} from './change-access.ts';
import {knownSandboxes} from './known-sandboxes.ts';
import type {LocalState} from './local-state.ts';
import {createMcpParts} from './mcp-parts.ts';
import type {ProgramOptions} from './program-options.ts';
import {createProjectParts} from './project-parts.ts';
import type {Servers} from './servers.ts';
import {createSystemPrompt} from './system-prompt.ts';

/** The agent's models and its conversation. */
export type AgentParts = ReturnType<typeof createAgentParts>;

/** Creates the agent's parts. Tools and models are loaded with the first message. */
export function createAgentParts(options: ProgramOptions, local: LocalState, servers: Servers) {
	const {store, env, debug} = options;
	const {config} = local;
	const ofProject = createProjectParts(options, local);
	const {createTransport, embedded, catalog} = servers;
	let askUser: AskUser | undefined;
	const tools = createTools(options, local, servers, {
		...ofProject,
		ask: () => askUser,
		async windowSize() {
			const {model} = store.getState();
			return model === undefined ? undefined : windowSizeOf(model);
		},
	});
	const access = createModelAccess({
		...{config, env, createTransport, tools: tools.ofRequest},
		embedded: embedded.open,
		conversation: () => store.getState().transcript.session,
		effortOf: model => effortOf(store.getState(), model),
		instructions: createSystemPrompt(options, local, {
			loadTools: tools.builtIn,
			projectInstructions: ofProject.instructions,
		}),
	});

	const {windowSizeOf, contextWindow} = createContextWindowAccess(store, {access, catalog, project: ofProject});
	const approvals = createApprovalParts(options, local, ofProject.hookFiles);
	const listeners: Array<(record: Recorded) => void> = debug ? [record => debug.write(debugRecord(record))] : [];
	const changes = createChangeAccess(local, ofProject.hookFiles);
	const conversation = createConversation({
		...conversationOptions(options, local, servers),
		windowSizeOf,
		...tools.ofRuns,
		...{openModel: access.open, loadHooks: ofProject.loadHooks, trackChanges: changes.track},
		compactionShare: ofProject.compactionShare,
		createApprovals: approvals.createApprovals,
		onRecord: record => {
			for (const listener of listeners) {
				listener(record);
			}
		},
	});
	local.rules.onSessionRule(conversation.ruleChanged);
	return {
		...{access, changes, conversation, jobs: tools.jobs, mcp: tools.mcp},
		models: createModels({store, config, access, catalog: catalog.load, createTransport}),
		contextWindow,
		judge: approvals.judge,
		askWith: approvals.askWith,
		answerWith(ask: AskUser) {
			askUser = ask;
		},
		onRecord: (listener: (record: Recorded) => void) => listeners.push(listener),
	};
}

type ToolNeeds = Parameters<typeof createToolLoader>[3] & {
	/** Returns the tool that reads skills, if there are any. */
	readonly skillTools: () => Promise<readonly Tool[]>;
	/** Returns the tokens of the selected model's context window. */
	readonly windowSize: () => Promise<number | undefined>;
};

/** Joins the program's own tools and those of MCP servers. */
function createTools(options: ProgramOptions, local: LocalState, servers: Servers, needs: ToolNeeds) {
	const {loadTools, endTools, jobs} = createToolLoader(options, local, servers, needs);
	const builtIn = async () => [...(await loadTools()), ...(await needs.skillTools())];
	const mcp = createMcpParts(options, local);
	return {
		...{builtIn, jobs, mcp},
		ofRequest: async () => [...(await builtIn()), ...(await mcp.shownTools(needs.windowSize))],
		ofRuns: {
			loadTools: async (signal?: AbortSignal) => [...(await builtIn()), ...(await mcp.tools(signal))],
			toolWarnings: mcp.warnings,
			async endTools() {
				mcp.reset();
				await endTools();
			},
		},
	};
}

/** Returns what knows the size of a model's context window, and what fills that of the selected one before any message. */
function createContextWindowAccess(
	{getState}: ProgramOptions['store'],
	{
		access,
		catalog,
		project,
	}: {
		readonly access: ModelAccess;
		readonly catalog: Servers['catalog'];
		readonly project: Pick<ReturnType<typeof createProjectParts>, 'instructions' | 'compactionShare'>;
	},
) {
	const windowSizeOf = async (model: string) => {
		await catalog.load();
		return getState().infoOf(model)?.contextWindow;
	};
	return {
		windowSizeOf,
		async contextWindow() {
			const {model} = getState();
			return {
				...(await access.beginning()),
				instructions: (await project.instructions()) ?? '',
				compactionShare: await project.compactionShare(),
				size: model === undefined ? undefined : await windowSizeOf(model),
			};
		},
	};
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
	{store, env, maxTurns, budgetUsd}: ProgramOptions,
	{home, config, folder, secrets, sessions}: LocalState,
	{loadPrices, priceRequest}: Servers,
) {
	cleanImagesLater(home);
	const images = createImageFolder(home.images);
	return {
		store,
		newId: randomUUID,
		now: () => new Date().toISOString(),
		workspace: folder.path,
		hide: secrets.hide,
		priceRequest,
		limits: {
			day: () => dayBudget(config.read()),
			async requestsToday() {
				const {today} = await import('../session/budget-guard.ts');
				return (await sessions().ledger(today())).requests;
			},
			loadPrices,
		},
		images,
		mentions: {hide: secrets.hide, homeFolder: folder.home, sources: [pastedImages(images)]},
		loadShell: async () => (await import('../agent/user-shell.ts')).createUserShell(env),
		readLog: async (session: string) => (await sessions().read(await sessions().find(session))).records,
		openLog: (session: string) => logOf(sessions().create(session)),
		...(maxTurns !== undefined && {maxTurns}),
		...(budgetUsd !== undefined && {budget: {limitUsd: budgetUsd, loadPrices}}),
	};
}

/**
 * Returns what loads the tools that the agent may use now: those of logs, of the web and for the user, and those of the folder if it may read
 * that. Also returns what ends their commands, and the background jobs among them.
 */
function createToolLoader(
	{store, env, version, insecureHttp = false}: ProgramOptions,
	{home, folder, secrets}: LocalState,
	{platform, services}: Servers,
	{
		withNested,
		hookFiles,
		ask,
	}: Pick<ReturnType<typeof createProjectParts>, 'hookFiles' | 'withNested'> & {
		readonly ask: () => AskUser | undefined;
	},
) {
	let commands: CommandSession | undefined;
	const loadAll = once(async () => {
		const [{createFolderTools, createLogTools, ...tools}, {createWebRequests}, {hasProxy}] = await Promise.all([
			import('../agent/tools/tools.ts'),
			import('../net/web/web-request.ts'),
			import('../net/undici-agent.ts'),
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
		const {createCommandSession} = await import('../agent/tools/command/command-session.ts');
		const places = {stateFolder: home.path, hookFiles};
		commands = createCommandSession({places, onJobs: running => store.getState().setJobs(running)});
		const ofFolder = createFolderTools(places, commands);
		const others = [...ofWeb, ...ofLogs, ...tools.createUserTools(ask)];
		return {ofFolder, others, ofTasks: tools.createTaskTools()};
	});
	return {
		async loadTools(): Promise<readonly Tool[]> {
			const {ofFolder, others, ofTasks} = await loadAll();
			return folder.isOpen() ? [...ofFolder.map(withNested), ...ofTasks, ...others] : others;
		},
		endTools: async () => commands?.end(),
		jobs: () => commands?.jobs,
	};
}
