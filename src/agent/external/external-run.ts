import {setTimeout as sleep} from 'node:timers/promises';
import {abortable} from '../../core/abortable.ts';
import {AppError, type ErrorReport, isAbort, reportError} from '../../core/error.ts';
import type {JsonObject} from '../../core/json.ts';
import {agentModel} from '../../core/model.ts';
import type {AgentEvent, RunEndReason, StopReason} from '../../core/session/event.ts';
import type {TokenUsage} from '../../core/session/usage.ts';
import type {Attachment} from '../../core/session/user-events.ts';
import {userMessage} from '../../core/session/user-message.ts';
import {shellWord} from '../../core/shell-word.ts';
import type {ChangeTracker} from '../changes/change-tracker.ts';
import {createChannel} from '../channel.ts';
import type {QueuedMessage} from '../history.ts';
import type {ImageStore} from '../images/model-images.ts';
import type {Mentions} from '../mentions/read-mentions.ts';
import type {RunTools, ToolPlace} from '../tool-turn.ts';
import type {ContentBlock, PermissionOutcome} from './agent-connection.ts';
import type {ExternalSession, OpenedAgent} from './external-session.ts';
import {approvalOf, callIn, offerIn, outcomeOf} from './permission.ts';
import {numberIn, objectIn} from './read-value.ts';
import {createUpdateEvents, type UpdateEvents, wordsOfValue} from './update-events.ts';

type Options = {
	readonly session: ExternalSession;
	readonly runId: string;
	readonly newId: () => string;
	readonly signal: AbortSignal;
	/** The message that the run begins with. */
	readonly prompt: QueuedMessage;
	/** Returns and clears the user's queue. */
	readonly nextMessages: () => readonly QueuedMessage[];
	readonly mentions: Mentions | undefined;
	readonly images: ImageStore | undefined;
	/** Saves what its turns change; left out where nothing can be undone. */
	readonly changes?: ChangeTracker | undefined;
	readonly place: ToolPlace;
	/** Returns the conversation before this run as text, for an agent that doesn't know it; '' for none. */
	readonly handOver: () => string;
	/** Waits until the events so far are saved, or it was said that they aren't. */
	readonly saved: () => Promise<void>;
	/** What the session has cost before this run, by what the agent said. */
	readonly spentUsd: number;
	/** True if the session has a title of its own. */
	readonly isTitled: boolean;
	/** The most US dollars that the run may cost. */
	readonly budgetUsd?: number | undefined;
	/** How long the agent may take to start before the user is told what the run waits for. */
	readonly slowStartMs?: number;
};

type RunEnd = {readonly reason: RunEndReason; readonly stopReason: StopReason; readonly error?: ErrorReport};

const overBudget: RunEnd = {
	reason: 'budget',
	stopReason: 'incomplete',
	error: {code: 'budget', message: 'The budget of this run is used up.'},
};

const interrupted: RunEnd = {reason: 'interrupted', stopReason: 'incomplete'};

/** How long the end of a run waits for an agent that was told to stop. */
const cancelWaitMs = 100;

/**
 * Runs another agent in place of our own: its updates as the events of a run. Never throws: `run-end` always comes exactly
 * once, and last. An interruption ends the run at once, whatever the agent does.
 */
export function runExternalAgent(options: Options): AsyncIterable<AgentEvent> {
	const {session, runId, place} = options;
	const events = createChannel<AgentEvent>();
	const where = place.commandPlace === 'shell' ? {place: 'shell' as const} : {};
	events.push({type: 'run-start', runId, model: agentModel(session.command.name), ...where});
	void work(options, events.push).then(end => {
		events.push({type: 'run-end', ...end});
		events.end();
	});
	return events;
}

async function work(given: Options, emit: (event: AgentEvent) => void): Promise<RunEnd> {
	const {newId, images, place, nextMessages} = given;
	/** Aborts when the run has cost what it may. */
	const limit = new AbortController();
	const options = {...given, signal: AbortSignal.any([given.signal, limit.signal]), limit};
	const {signal} = options;
	const updates = createUpdateEvents({
		newId,
		folder: place.workspace,
		emit,
		images: images && {save: images.save, isSeen: () => true},
	});
	try {
		let end: RunEnd | undefined;
		let messages: readonly QueuedMessage[] = [options.prompt, ...nextMessages()];
		while (messages.length > 0 && (end === undefined || end.reason === 'done')) {
			end = await turn(messages, options, {emit, updates});
			messages = end.reason === 'done' ? nextMessages() : [];
		}

		return limit.signal.aborted ? overBudget : (end ?? interrupted);
	} catch (error) {
		await updates.settle();
		const report = reportError(error);
		return signal.aborted || isAbort(error) || report.code === 'interrupted'
			? interrupted
			: {reason: 'error', stopReason: 'error', error: report};
	}
}

type LimitedOptions = Options & {readonly limit: AbortController};

type Turn = {readonly emit: (event: AgentEvent) => void; readonly updates: UpdateEvents};

/** Sends messages as one prompt, and follows the answer to its end, with what it changes. */
async function turn(messages: readonly QueuedMessage[], options: LimitedOptions, run: Turn): Promise<RunEnd> {
	const texts: Announced[] = [];
	for (const message of messages) {
		texts.push(await announce(message, options, run.emit));
	}

	const watching = watchTurn(messages[0]?.id ?? '', options, run.emit);
	let settled: Promise<void> = Promise.resolve();
	try {
		const [opened] = await Promise.all([openAgent(options, run.emit), watching]);
		return await ask(texts, opened, options, {...run, onSettling: until => (settled = until)});
	} finally {
		const end = await watching.catch(() => undefined);
		await end?.(settled);
	}
}

const usualSlowStartMs = 4000;

/** Opens the agent's session. Says what the run waits for if that takes long. */
async function openAgent(
	{session, signal, place, slowStartMs = usualSlowStartMs}: LimitedOptions,
	emit: (event: AgentEvent) => void,
): Promise<OpenedAgent> {
	const {name, command} = session.command;
	const timer = setTimeout(() => {
		const text = `Waiting for ${name} to start: ${command.map(shellWord).join(' ')}`;
		const hint = `${place.commandPlace === 'shell' ? '' : 'Esc or '}Ctrl+C ends the wait.`;
		emit({type: 'notice', level: 'info', text, hint});
	}, slowStartMs);
	try {
		return await session.open(signal);
	} finally {
		clearTimeout(timer);
	}
}

/**
 * Saves what the working folder holds before a turn, and watches what changes, for /undo and SAFETY 12. Returns what records
 * that. Nothing is the agent's any more once the promise that it gets has resolved.
 */
async function watchTurn(
	step: string,
	{session, changes, place, signal}: LimitedOptions,
	emit: (event: AgentEvent) => void,
): Promise<(settled: Promise<void>) => Promise<void>> {
	const window = await session.watchChanges();
	try {
		const anything = {kind: 'command', command: '', folder: place.workspace, containment: 'none'} as const;
		for (const event of (await changes?.before(step, anything, signal)) ?? []) {
			emit(event);
		}
	} catch (error) {
		void window.close();
		throw error;
	}

	return async settled => {
		for (const event of (await (signal.aborted ? changes?.end() : changes?.after(step))) ?? []) {
			emit(event);
		}

		void settled.then(window.close);
	};
}

type Asking = Turn & {
	/** Gets what resolves when an interrupted turn is over. */
	readonly onSettling: (settled: Promise<void>) => void;
};

/** Sends what the user wrote, and follows the answer. */
async function ask(
	texts: readonly Announced[],
	{agent, session: id, began, loss}: OpenedAgent,
	options: LimitedOptions,
	{emit, updates, onSettling}: Asking,
): Promise<RunEnd> {
	const {session, signal, isTitled} = options;
	const {name, isContained = false, command} = session.command;
	if (loss) {
		emit({type: 'notice', level: 'warning', text: loss});
	}

	emit({type: 'agent', name, command: [...command], session: id, ...(isContained && {contained: true})});
	const handedOver = began === 'new' ? options.handOver() : '';
	const prompt: ContentBlock[] = [
		...(handedOver ? [{type: 'text' as const, text: handedOver}] : []),
		...texts.map(({text}) => ({type: 'text' as const, text})),
		...(await imageBlocks(
			texts.flatMap(each => each.images),
			agent.facts.seesImages,
			options,
			emit,
		)),
	];

	// Whoever reads the events has those so far once this turn of the loop has ended.
	await new Promise(resolve => setImmediate(resolve));
	await abortable(options.saved(), signal);
	const spending = createSpending(options, emit);
	const stop = session.listen({
		onUpdate: updates.follow,
		onCost: spending.follow,
		onTitle: title => isTitled || emit({type: 'rename', title: title.slice(0, 200)}),
		onPermission: (params, withdrawn) => decide(params, withdrawn, options, {emit, updates}),
	});
	const answer = agent.request('session/prompt', {sessionId: id, prompt});
	answer.catch(() => undefined);
	try {
		const response = await abortable(answer, signal);
		await updates.end();
		spending.end(usageIn(response));
		return endOf(response, name);
	} catch (error) {
		if (!signal.aborted) {
			await updates.settle();
			spending.end(undefined);
			throw error;
		}

		agent.cancel(id);
		const isAnswered = await Promise.race([
			answer.then(
				() => true,
				() => true,
			),
			sleep(cancelWaitMs, false),
		]);
		if (!isAnswered) {
			onSettling(session.settle(answer));
		}

		spending.end(undefined);
		return interrupted;
	} finally {
		stop();
	}
}

type Announced = {readonly text: string; readonly images: readonly Attachment[]};

/** Records a message of the user with what it mentions. Returns what the agent reads of it. */
async function announce(
	{id, text, mentionsIn = text, commands = []}: QueuedMessage,
	{mentions, place, signal}: Options,
	emit: (event: AgentEvent) => void,
): Promise<Announced> {
	const carried = commands.map(command => command.id);
	emit({type: 'user-message', id, text, ...(carried.length > 0 && {commands: carried})});
	const attachments: Attachment[] = [];
	if (mentions && mentionsIn.includes('@')) {
		const {attach} = await import('../mentions/attach.ts');
		const tools: RunTools = {list: [], images: {save: async () => '', isSeen: () => true}};
		for await (const event of attach({id, text: mentionsIn}, {tools, place, signal}, mentions)) {
			emit(event);
			attachments.push(...(event.type === 'attachment' ? [event] : []));
		}
	}

	return {text: userMessage(text, {attachments, commands}).text, images: attachments.filter(({images}) => images)};
}

/** Returns the images of messages as the protocol carries them. What the agent can't see is told. */
async function imageBlocks(
	attachments: readonly Attachment[],
	isSeen: boolean,
	{images: store, session}: Options,
	emit: (event: AgentEvent) => void,
): Promise<ContentBlock[]> {
	const images = attachments.flatMap(({images: shown = []}) => shown);
	if (images.length > 0 && !isSeen) {
		emit({type: 'notice', level: 'warning', text: `${session.command.name} can't see images: they were left out.`});
		return [];
	}

	const blocks = await Promise.all(
		images.map(async ({hash, type}) => {
			const bytes = await store?.load(hash);
			return bytes ? [{type: 'image' as const, data: bytes.toString('base64'), mimeType: type}] : [];
		}),
	);
	return blocks.flat();
}

/** Asks for approval of what the agent asks. Whatever goes wrong refuses. */
async function decide(
	params: JsonObject,
	withdrawn: AbortSignal,
	{session, place, signal: ofRun}: Options,
	{emit, updates}: Turn,
): Promise<PermissionOutcome> {
	const signal = AbortSignal.any([ofRun, withdrawn]);
	if (signal.aborted) {
		return {outcome: 'cancelled'};
	}

	const {name, isContained = false} = session.command;
	const offer = offerIn(params);
	const call = updates.callOf(callIn(params));
	try {
		const approval = await approvalOf({agent: name, call, offer, folder: place.workspace, isContained});
		const given = await place.approvals({id: call.id, signal, emit})(approval);
		if (signal.aborted) {
			return {outcome: 'cancelled'};
		}

		call.isRefused = !given.allowed;
		const outcome = outcomeOf(offer, given.allowed ? {allowed: true, always: given.always} : {allowed: false});
		if (given.allowed && outcome.outcome === 'cancelled') {
			emit({type: 'notice', level: 'warning', text: `${name} offers no yes for this once, so it was refused.`});
		}

		return outcome;
	} catch {
		call.isRefused = true;
		return signal.aborted ? {outcome: 'cancelled'} : outcomeOf(offer, {allowed: false});
	}
}

/**
 * Counts what a turn costs. An agent says a sum, of its process or of its session: one that is less than the last has begun at
 * 0 again, and what was before is kept.
 */
function createSpending(
	{session, newId, spentUsd, budgetUsd, limit}: LimitedOptions,
	emit: (event: AgentEvent) => void,
) {
	const messageId = newId();
	const model = agentModel(session.command.name);
	let last = session.lastCost() || spentUsd;
	let spent: number | undefined;
	return {
		follow(amount: number) {
			spent = (spent ?? 0) + (amount >= last ? amount - last : amount);
			last = amount;
			if (budgetUsd !== undefined && spent > budgetUsd) {
				limit.abort();
			}
		},
		end(usage: TokenUsage | undefined) {
			emit({
				type: 'usage',
				messageId,
				model,
				usage: {...(usage ?? noTokens), ...(spent !== undefined && {costUsd: spent})},
			});
		},
	};
}

const noTokens: TokenUsage = {input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0};

/** Reads the tokens of a turn, which the protocol doesn't have yet and some agents send. */
function usageIn(response: JsonObject): TokenUsage | undefined {
	const meta = objectIn(objectIn(response, '_meta'), 'usage');
	const usage = Object.keys(meta).length > 0 ? meta : objectIn(response, 'usage');
	const [input, output] = [numberIn(usage, 'inputTokens'), numberIn(usage, 'outputTokens')];
	if (input === undefined || output === undefined) {
		return undefined;
	}

	return {
		input,
		output,
		cacheRead: numberIn(usage, 'cachedReadTokens') ?? 0,
		cacheWrite: numberIn(usage, 'cachedWriteTokens') ?? 0,
		reasoning: Math.min(output, numberIn(usage, 'thoughtTokens') ?? 0),
	};
}

/** Returns how a turn ended. Nothing has checked what the agent says about it. */
function endOf({stopReason}: JsonObject, name: string): RunEnd {
	switch (stopReason) {
		case 'end_turn':
		case 'max_tokens':
		case 'refusal':
			return {reason: 'done', stopReason};
		case 'max_turn_requests':
			return {
				reason: 'budget',
				stopReason: 'incomplete',
				error: {code: 'budget', message: `${name} stopped at its own limit of requests.`},
			};
		case 'cancelled':
			return {
				reason: 'incomplete',
				stopReason: 'incomplete',
				error: {code: 'incomplete', message: `${name} cancelled its turn.`},
			};
		default:
			throw new AppError('failed', `${name} ended its turn with “${wordsOfValue(stopReason).slice(0, 40)}”.`, {
				hint: 'Send the message again, or select another agent.',
			});
	}
}
