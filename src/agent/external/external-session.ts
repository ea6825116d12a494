import {isAbsolute} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {abortable} from '../../core/abortable.ts';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import {once} from '../../core/once.ts';
import type {ChangeWindow} from '../unseen/change-window.ts';
import type {AgentCommand} from './agent-command.ts';
import type {PermissionOutcome} from './agent-connection.ts';
import {listIn, numberIn, objectIn, textIn} from './read-value.ts';
import type {AgentHost, RunningAgent} from './running-agent.ts';

/** A value that an option of an agent may have. Untrusted. */
type OptionValue = {readonly value: string; readonly name: string};

/** An option of an agent's session. Untrusted. */
export type AgentOption = {
	readonly id: string;
	readonly name: string;
	/** `model`, `mode` or `thought_level`, or what else the agent calls it. */
	readonly category: string;
	readonly type: 'select' | 'boolean';
	readonly value: string;
	readonly values: readonly OptionValue[];
};

/** What an agent says of its session by now. Untrusted. */
export type AgentView = {
	readonly name: string;
	readonly state: 'starting' | 'ready' | 'ended';
	/** Its own name and version; '' before it is ready. */
	readonly title: string;
	readonly mode: string | undefined;
	readonly modes: readonly OptionValue[];
	readonly options: readonly AgentOption[];
	readonly commands: readonly {readonly name: string; readonly summary: string; readonly hint: string}[];
	/** How many tokens of its window are used. */
	readonly window: {readonly used: number; readonly size: number} | undefined;
	readonly isContained: boolean;
};

/** What listens to a session while a run of ours waits for it. */
export type TurnEvents = {
	readonly onUpdate: (update: JsonObject) => void;
	readonly onPermission: (params: JsonObject, signal: AbortSignal) => Promise<PermissionOutcome>;
	/** What it has cost by now, in US dollars, since it counts from 0. */
	readonly onCost: (usd: number) => void;
	readonly onTitle: (title: string) => void;
};

/** A session that is open in an agent. */
export type OpenedAgent = {
	readonly agent: RunningAgent;
	readonly session: string;
	/** `new` if it knows nothing of the conversation, `continued` if it has just been started again and does. */
	readonly began: 'new' | 'continued';
	/** A sentence about what was lost. */
	readonly loss?: string;
};

/** One conversation of ours with an agent: its process is started when it is needed, and again after it ended. */
export type ExternalSession = {
	readonly command: AgentCommand;
	readonly view: () => AgentView;
	/**
	 * Starts the agent and opens its session, or returns what is open. `isAhead` starts it for what may follow: whoever needs it
	 * then may end the start. Throws what `startAgent` throws.
	 */
	readonly open: (signal: AbortSignal, isAhead?: boolean) => Promise<OpenedAgent>;
	/** Passes what comes to a run, until the function that it returns is called. */
	readonly listen: (events: TurnEvents) => () => void;
	/** Returns the cost that it said last. */
	readonly lastCost: () => number;
	/**
	 * Begins to watch what it changes in the working folder, for SAFETY 12. Throws AppError("failed") if that can't be kept:
	 * then it must not work.
	 */
	readonly watchChanges: () => Promise<ChangeWindow>;
	/**
	 * Ends a turn that was interrupted: the agent has a moment to answer it, and its group is ended if it doesn't. Resolves
	 * when it is over.
	 */
	readonly settle: (turn: Promise<unknown>) => Promise<void>;
	readonly setMode: (id: string, signal: AbortSignal) => Promise<void>;
	readonly setOption: (id: string, value: string, signal: AbortSignal) => Promise<void>;
	readonly end: () => Promise<void>;
};

type Options = {
	readonly agent: AgentCommand;
	readonly host: AgentHost;
	/** The session of the agent that this conversation had. */
	readonly saved: string | undefined;
	/** Called when what it says of itself has changed. */
	readonly onView: (view: AgentView) => void;
	/** How long an agent may take to answer a cancelled turn. */
	readonly cancelMs?: number;
};

/** How long an agent may take to answer a turn that was cancelled. */
const cancelGraceMs = 3000;

export function createExternalSession({
	agent,
	host,
	saved,
	onView,
	cancelMs = cancelGraceMs,
}: Options): ExternalSession {
	let view: AgentView = {
		name: agent.name,
		state: 'ended',
		title: '',
		mode: undefined,
		modes: [],
		options: [],
		commands: [],
		window: undefined,
		isContained: agent.isContained === true,
	};
	let listener: TurnEvents | undefined;
	let known = saved;
	let opened: Promise<OpenedAgent> | undefined;
	/** Ends a start, which others may wait for than who began it: the last of them to leave ends it. */
	let stop = new AbortController();
	let waiting = 0;
	let settling: Promise<void> = Promise.resolve();
	let isReplaying = false;
	let cost = 0;

	const change = (next: Partial<AgentView>) => {
		view = {...view, ...next};
		onView(view);
	};

	const follow = (params: JsonObject) => {
		const update = objectIn(params, 'update');
		// A session has one conversation: what is said of another one is not about ours.
		if (known !== undefined && params['sessionId'] !== known && !isReplaying) {
			return;
		}

		switch (update['sessionUpdate']) {
			case 'current_mode_update':
				change({mode: textIn(update, 'currentModeId')});
				return;
			case 'config_option_update':
				change({options: optionsIn(update)});
				return;
			case 'available_commands_update':
				change({commands: commandsIn(update)});
				return;
			case 'usage_update': {
				const [used, size] = [numberIn(update, 'used'), numberIn(update, 'size')];
				change({window: used === undefined || size === undefined ? view.window : {used, size}});
				const spent = objectIn(update, 'cost');
				const amount = numberIn(spent, 'amount');
				if (amount !== undefined && spent['currency'] === 'USD') {
					cost = amount;
					listener?.onCost(amount);
				}

				return;
			}
			case 'session_info_update': {
				const title = textIn(update, 'title');
				if (title !== undefined) {
					listener?.onTitle(title);
				}

				return;
			}
			default:
				if (!isReplaying) {
					listener?.onUpdate(update);
				}
		}
	};

	const events = {
		onUpdate: follow,
		onPermission: async (params: JsonObject, signal: AbortSignal): Promise<PermissionOutcome> =>
			listener && params['sessionId'] === known ? listener.onPermission(params, signal) : {outcome: 'cancelled'},
		onStray: () => undefined,
	};

	const takeState = (answer: JsonObject) => {
		const modes = objectIn(answer, 'modes');
		change({
			state: 'ready',
			mode: textIn(modes, 'currentModeId'),
			modes: listIn(modes, 'availableModes').flatMap(each => {
				const id = textIn(each, 'id');
				return id === undefined ? [] : [{value: id, name: textIn(each, 'name') ?? id}];
			}),
			options: optionsIn(answer),
		});
	};

	/** Opens the session that the agent had, if it can. Returns false if it can't. */
	const reopen = async (running: RunningAgent, sessionId: string): Promise<boolean> => {
		const {canResume, canLoad} = running.facts;
		if (!canResume && !canLoad) {
			return false;
		}

		// Our transcript has all of it already.
		isReplaying = true;
		try {
			const method = canResume ? 'session/resume' : 'session/load';
			takeState(await running.request(method, {sessionId, cwd: host.folder(), mcpServers: []}));
			return true;
		} catch (error) {
			if (running.isOver() || (error instanceof AppError && error.code === 'auth')) {
				throw error;
			}

			return false;
		} finally {
			isReplaying = false;
		}
	};

	const start = async (signal: AbortSignal): Promise<OpenedAgent> => {
		change({state: 'starting'});
		// The library of the protocol loads with the first agent.
		const {startAgent} = await import('./running-agent.ts');
		const running = await startAgent(agent, host, events, signal);
		void running.ended.then(() => {
			opened = undefined;
			change({state: 'ended'});
		});
		const close = () => void running.close();
		signal.addEventListener('abort', close, {once: true});
		try {
			change({title: running.facts.title});
			const before = known;
			if (before !== undefined && (await reopen(running, before))) {
				return {agent: running, session: before, began: 'continued'};
			}

			known = undefined;
			const answer = await running.request('session/new', {cwd: host.folder(), mcpServers: []});
			const session = textIn(answer, 'sessionId');
			if (session === undefined) {
				throw new AppError('failed', `${agent.name} opened no session.`, {hint: 'Select another agent.'});
			}

			known = session;
			takeState(answer);
			const loss = `${agent.name} can't continue its earlier session, so it gets the conversation as text.`;
			return {agent: running, session, began: 'new', ...(before !== undefined && {loss})};
		} catch (error) {
			await running.close();
			throw error;
		} finally {
			signal.removeEventListener('abort', close);
		}
	};

	const open: ExternalSession['open'] = async (signal, isAhead = false) => {
		await settling;
		signal.throwIfAborted();
		if (!isAbsolute(host.folder())) {
			throw new AppError('failed', 'An agent needs a working folder.', {hint: 'Change to a folder, then start again.'});
		}

		if (!opened) {
			stop = new AbortController();
			const starting = start(stop.signal);
			opened = starting;
			starting.catch(() => {
				opened = opened === starting ? undefined : opened;
				change({state: 'ended'});
			});
		}

		const mine = opened;
		const weight = isAhead ? 0 : 1;
		waiting += weight;
		try {
			return await abortable(mine, signal);
		} finally {
			waiting -= weight;
			if (signal.aborted && waiting === 0 && opened === mine) {
				stop.abort(signal.reason);
			}
		}
	};

	return {
		command: agent,
		view: () => view,
		open,
		listen(next) {
			listener = next;
			return () => {
				listener = listener === next ? undefined : listener;
			};
		},
		lastCost: () => cost,
		async watchChanges() {
			const {openWindow} = await import('../unseen/change-window.ts');
			return openWindow({stateFolder: host.places.stateFolder, folder: host.folder()}, 'agent');
		},
		settle(turn) {
			const running = opened;
			const answered = turn.then(
				() => true,
				() => true,
			);
			settling = Promise.race([answered, sleep(cancelMs, false, {ref: false})]).then(async isAnswered => {
				if (!isAnswered) {
					const {agent: silent} = (await running) ?? {};
					silent?.kill();
					await silent?.ended;
				}
			});
			return settling;
		},
		async setMode(id, signal) {
			const {agent: running, session} = await open(signal);
			await running.request('session/set_mode', {sessionId: session, modeId: id});
			change({mode: id});
		},
		async setOption(id, value, signal) {
			const {agent: running, session} = await open(signal);
			const option = view.options.find(each => each.id === id);
			const chosen = option?.type === 'boolean' ? {type: 'boolean' as const, value: value === 'true'} : {value};
			const answer = await running.request('session/set_config_option', {sessionId: session, configId: id, ...chosen});
			const options = optionsIn(answer);
			change({
				options: options.length > 0 ? options : view.options.map(each => (each.id === id ? {...each, value} : each)),
			});
		},
		end: once(async () => {
			stop.abort(new AppError('interrupted', 'The agent was ended.'));
			await settling;
			const running = await opened?.catch(() => undefined);
			if (running) {
				const {agent: live, session} = running;
				if (live.facts.canClose && !live.isOver()) {
					const closed = live.request('session/close', {sessionId: session}).catch(() => undefined);
					await Promise.race([closed, sleep(500, undefined, {ref: false})]);
				}

				await live.close();
			}
		}),
	};
}

function commandsIn(update: JsonObject): AgentView['commands'] {
	return listIn(update, 'availableCommands').flatMap(command => {
		const name = textIn(command, 'name');
		return name === undefined || !/^[\w:.-]{1,60}$/.test(name)
			? []
			: [
					{
						name,
						summary: (textIn(command, 'description') ?? '')
							.replace(/[\p{C}\s]+/gu, ' ')
							.trim()
							.slice(0, 120),
						hint: (textIn(objectIn(command, 'input'), 'hint') ?? '').replace(/[\p{C}\s]+/gu, ' ').slice(0, 80),
					},
				];
	});
}

function optionsIn(object: JsonObject): readonly AgentOption[] {
	return listIn(object, 'configOptions').flatMap((option): AgentOption[] => {
		const id = textIn(option, 'id');
		const {type, currentValue} = option;
		if (id === undefined || (type !== 'select' && type !== 'boolean')) {
			return [];
		}

		const groups = listIn(option, 'options').flatMap(each => {
			const {options} = each;
			return Array.isArray(options) ? options.filter(isJsonObject) : [each];
		});
		const values =
			type === 'boolean'
				? [
						{value: 'true', name: 'on'},
						{value: 'false', name: 'off'},
					]
				: groups.flatMap(each => {
						const value = textIn(each, 'value');
						return value === undefined ? [] : [{value, name: textIn(each, 'name') ?? value}];
					});
		const name = textIn(option, 'name') ?? id;
		const value = typeof currentValue === 'boolean' ? `${currentValue}` : (textIn(option, 'currentValue') ?? '');
		return [{id, name, category: textIn(option, 'category') ?? '', type, value, values}];
	});
}
