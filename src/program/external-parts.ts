import {existsSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {type AgentCommand, knownAgents} from '../agent/external/agent-command.ts';
import {createExternalSession, type ExternalSession} from '../agent/external/external-session.ts';
import type {AgentHost} from '../agent/external/running-agent.ts';
import {firstIn, foldersOutside} from '../agent/tools/child/find-program.ts';
import type {Entry} from '../command/context.ts';
import type {EntrySource} from '../command/entries/entry-source.ts';
import {isEntryName, promptEntry} from '../command/entries/prompt-entry.ts';
import type {AgentsPart, ListedAgent} from '../command/parts.ts';
import {splitWords} from '../command/words.ts';
import {openSavedAgents} from '../config/saved-agents.ts';
import {AppError} from '../core/error.ts';
import type {OtherAgent, Transcript} from '../core/session/transcript.ts';
import type {ExternalAccess} from '../session/start-run.ts';
import type {AppStore} from '../store/store.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

function hostOf({env, version}: ProgramOptions, {folder, home}: LocalState): AgentHost {
	return {env, version, folder: folder.path, places: {stateFolder: home.path, homeFolder: folder.home}};
}

/**
 * Returns what lets another agent answer in a session: the one that is selected, which goes on with the session that the
 * transcript names. Another selection ends the one before.
 */
export function createExternalAccess(
	options: ProgramOptions,
	local: LocalState,
	store: AppStore,
	transcript: () => Transcript,
): ExternalAccess {
	let session: ExternalSession | undefined;
	return {
		current() {
			const {agent} = store.getState();
			if (session?.command === agent) {
				return session;
			}

			void session?.end();
			session = undefined;
			if (agent) {
				const before = transcript().agent;
				const own: ExternalSession = createExternalSession({
					agent,
					host: hostOf(options, local),
					saved: before?.name === agent.name ? before.session : undefined,
					onView: view => session === own && store.getState().setAgentView(view),
				});
				session = own;
			}

			return session;
		},
		async end() {
			await session?.end();
			session = undefined;
		},
	};
}

/** Creates the access to the agents of other makers. */
export function createAgentsPart(
	options: ProgramOptions,
	local: LocalState,
	current: () => ExternalSession | undefined,
): AgentsPart {
	const saved = openSavedAgents(local.home.agentsFile);
	return {
		list: () => listAgents(local, options.env),
		find: text => findAgent(text, local, options.env),
		add: saved.add,
		remove: saved.remove,
		async check(agent, signal) {
			const session = createExternalSession({
				agent,
				host: hostOf(options, local),
				saved: undefined,
				onView: () => undefined,
			});
			try {
				const {agent: running} = await session.open(signal);
				return {facts: running.facts, view: session.view()};
			} finally {
				await session.end();
			}
		},
		current,
	};
}

/** Returns the agents that the user added, then the known ones that are on PATH. */
function listAgents({home, folder}: LocalState, env: ProgramOptions['env']): readonly ListedAgent[] {
	const added = openSavedAgents(home.agentsFile).list();
	const folders = foldersOutside(folder.path(), env);
	const found = knownAgents.filter(
		({name, command: [program = '']}) =>
			!added.some(each => each.name === name) && firstIn(folders, program) !== undefined,
	);
	return [
		...added.map(agent => ({...agent, isAdded: true})),
		...found.map(({name, command}) => ({name, command, isAdded: false})),
	];
}

function findAgent(text: string, local: LocalState, env: ProgramOptions['env']): AgentCommand {
	const [program = '', ...args] = splitWords(text);
	const listed = args.length === 0 ? listAgents(local, env).find(({name}) => name === program) : undefined;
	if (listed) {
		const {isAdded: _, ...agent} = listed;
		return agent;
	}

	const folders = foldersOutside(local.folder.path(), env);
	const isThere = program.includes('/') ? existsSync(program) : firstIn(folders, program) !== undefined;
	if (!isThere) {
		throw new AppError('not-found', `No agent “${program}”: it was not added, and no such program is on PATH.`, {
			hint: 'See those that are: `agent list`',
		});
	}

	return {name: nameOf(program, args), command: [program, ...args]};
}

/** Returns what the screen calls an agent that was given as a command: its program, or what an interpreter runs. */
function nameOf(program: string, args: readonly string[]): string {
	const last = (path: string) => path.replace(/^.*[/\\]/, '').replace(/\.[cm]?[jt]s$/, '');
	const name = last(program);
	const script = /^(?:node|npx|bunx?|deno|python3?|uvx?|env)$/.test(name)
		? args.find(word => !word.startsWith('-') && !word.includes('='))
		: undefined;
	return (last(script ?? '') || name).replace(/[^\w.-]/g, '').slice(0, 30) || 'agent';
}

/** Returns the agent of a resumed session: as the user added it by now, or else as its journal has it. */
export function savedAgent({home}: LocalState, {name, command, contained}: OtherAgent): AgentCommand {
	const added = openSavedAgents(home.agentsFile)
		.list()
		.find(each => each.name === name);
	return {...(added ?? {name, command}), isContained: contained};
}

/** Selects the agent that the command line names. Throws as `AgentsPart.find`. */
export function selectAgent({store, agent, agentSandbox, env}: ProgramOptions, local: LocalState): void {
	if (agent !== undefined) {
		const found = findAgent(agent, local, env);
		store.getState().setAgent(agentSandbox ? {...found, isContained: true} : found);
	}
}

/** Returns the slash commands of the agent that answers. Names of ours stay ours; the agent's has its own in front then. */
export function externalEntries(
	store: AppStore,
	current: () => ExternalSession | undefined,
	stop: AbortSignal,
): EntrySource {
	let entries: readonly Entry[] = [];
	let shown: unknown;
	return {
		kind: 'agent command',
		yields: true,
		entries() {
			const view = store.getState().agentView;
			if (view?.commands !== shown) {
				shown = view?.commands;
				entries = (view?.commands ?? []).flatMap(({name, summary, hint}) =>
					[name.toLowerCase(), `${view?.name}:${name}`.toLowerCase()].filter(isEntryName).map(each =>
						promptEntry({
							name: each,
							summary: `${summary || name} · ${view?.name}`,
							...(hint && {hint: `[${hint}]`}),
							textFor: typed => `/${name} ${typed}`.trim(),
						}),
					),
				);
			}

			return entries;
		},
		async refresh() {
			const session = current();
			if (session && session.view().state === 'ended') {
				const opened = session.open(stop, true).catch(() => undefined);
				await Promise.race([opened, sleep(waitMs, undefined, {ref: false})]);
			}
		},
	};
}

/** How long a slash line waits for the commands of an agent that has to start. */
const waitMs = 3000;
