import process from 'node:process';
import {createModelWindows} from '../agent/context/model-windows.ts';
import {instructions} from '../agent/instructions.ts';
import {type AskingSession, createModelAccess, type ModelAccess} from '../agent/model-access.ts';
import type {ContextWindowFacts} from '../command/parts.ts';
import {debugRecord} from '../core/debug.ts';
import {formatDate} from '../core/format.ts';
import {type Lazy, lazy} from '../core/once.ts';
import type {Recorded} from '../core/session/event.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {AskUser} from '../core/session/user-question.ts';
import type {Interaction} from '../platform/interaction.ts';
import {type AllModels, createModels} from '../platform/models.ts';
import {backgroundNotice, createNotifier, jobNotice, type Notifier} from '../watch/notifier.ts';
import {type ApprovalParts, createApprovalParts} from './approval-parts.ts';
import {askerOf} from './asker.ts';
import {type ChangeAccess, createChangeAccess} from './change-access.ts';
import {type ConversationParts, createConversationParts} from './conversation-parts.ts';
import type {LocalState} from './local-state.ts';
import {createMcpParts, type McpParts} from './mcp-parts.ts';
import type {ProgramOptions} from './program-options.ts';
import {type AgentProject, createProjectParts} from './project-parts.ts';
import type {Servers} from './servers.ts';

/** The agent's models and its conversation. */
export type AgentParts = {
	readonly access: ModelAccess;
	readonly models: AllModels;
	readonly contextWindow: () => Promise<ContextWindowFacts>;
	readonly changes: ChangeAccess;
	readonly approvals: ApprovalParts;
	readonly mcp: McpParts;
	/** The conversation. A command in a shell may do without. */
	readonly conversations: Lazy<ConversationParts>;
	readonly notifier: Notifier;
	readonly answerWith: (ask: AskUser, interaction?: Interaction) => void;
	readonly onRecord: (listener: (record: Recorded) => void) => void;
};

/** Creates the agent's parts. Tools and models are loaded with the first message. */
export function createAgentParts(options: ProgramOptions, local: LocalState, servers: Servers): AgentParts {
	const {store, env, debug} = options;
	const {config} = local;
	const {createTransport, embedded, catalog} = servers;
	let askUser: AskUser | undefined;
	let interact: Interaction | undefined;
	const ofProject = createProjectParts(options, local);
	const mcp = createMcpParts(options, local, () => interact);
	/** The tools of the conversation in front. All conversations define the same. */
	const builtIn = async () => [
		...((await conversations.get().tools()?.loadTools()) ?? []),
		...(await ofProject.skillTools()),
	];
	const windowSize = async () => {
		const {model} = store.getState();
		return model === undefined ? undefined : windows.sizeOf(model);
	};
	const access = createModelAccess({
		config,
		env,
		createTransport,
		async tools() {
			const own = await builtIn();
			const {model} = store.getState();
			const baseUrl = model && access.locate(model)?.baseUrl;
			return [...own, ...(await mcp.shownTools(windowSize, own.length, model, baseUrl))];
		},
		embedded: embedded.open,
		front: () => askerOf(store.getState()),
		instructions: createSystemPrompt(local, {loadTools: builtIn, projectInstructions: ofProject.instructions}),
	});

	const {windows, contextWindow} = createContextWindowAccess(store, {access, catalog, project: ofProject});
	const approvals = createApprovalParts(options, local);
	const listeners: Array<(record: Recorded) => void> = debug ? [record => debug.write(debugRecord(record))] : [];
	const changes = createChangeAccess(local);
	const notifier = createNotifier(store, (text, hint) => conversations.get().conversation.notice(text, hint));
	const conversations = lazy(() =>
		createConversationParts(options, local, servers, {
			windows,
			access,
			approvals,
			changes,
			ofProject,
			mcp,
			ask: () => askUser,
			interact: () => interact,
			onRecord(record) {
				for (const listener of listeners) {
					listener(record);
				}
			},
			onBackground: session => notifier.notify(backgroundNotice(session)),
			onJobEnd: job => notifier.notify(jobNotice(job)),
		}),
	);
	local.rules.onSessionRule(event => conversations.get().conversation.ruleChanged(event));
	return {
		access,
		models: createModels({store, config, access, catalog: catalog.load, createTransport}),
		contextWindow,
		changes,
		approvals,
		mcp,
		conversations,
		notifier,
		answerWith(ask, interaction) {
			askUser = ask;
			interact = interaction;
		},
		onRecord: listener => void listeners.push(listener),
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
		readonly project: AgentProject;
	},
) {
	const windows = createModelWindows({
		async inTable(model) {
			await catalog.load();
			return getState().infoOf(model);
		},
		locate: access.locate,
	});
	return {
		windows,
		async contextWindow() {
			const {model} = getState();
			return {
				...(await access.beginning()),
				instructions: await project.instructionFiles(),
				skills: (await project.skillList()) ?? '',
				compactionShare: await project.compactionShare(),
				size: model === undefined ? undefined : await windows.sizeOf(model),
			};
		},
	};
}

type Sources = {
	readonly loadTools: () => Promise<readonly ToolDefinition[]>;
	/** Returns the text of the instruction files in effect. */
	readonly projectInstructions: () => Promise<string | undefined>;
	/** Returns the time in milliseconds since 1970. */
	readonly now?: () => number;
};

/**
 * Returns what writes the system prompt, or that of a sub-agent with its tools. Its date stays the one on which the session
 * began, also when that is resumed: another one would change the beginning of every request, which vendors have in their
 * caches. Messages bring later dates.
 */
export function createSystemPrompt(
	{folder}: {readonly folder: {readonly path: () => string}},
	{loadTools, projectInstructions, now = Date.now}: Sources,
): (asker: AskingSession, task?: readonly ToolDefinition[]) => Promise<string> {
	/** When each session was asked for first, as ISO 8601: it may have no record yet. */
	const begun = new Map<string, string>();

	return async ({session, beganAt, isPlanning}, task) => {
		const today = new Date(now()).toISOString();
		const date = formatDate(task ? today : (beganAt ?? begun.get(session) ?? today));
		begun.set(session, begun.get(session) ?? today);
		return instructions({
			workspace: folder.path(),
			date,
			platform: process.platform,
			tools: task ?? (await loadTools()),
			isTask: task !== undefined,
			project: await projectInstructions(),
			isPlanning,
		});
	};
}
