import type {LedgerOptions} from '../agent/ledger-entry.ts';
import {tokensOfDefinitions, tokensOfMessages} from '../agent/usage-estimate.ts';
import {AppError} from '../core/error.ts';
import {formatUsd} from '../core/format.ts';
import {type BudgetState, type Budgets, budgetName, warningShare} from '../core/ledger/budget.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import {
	contextTokens,
	costOf,
	costOfMessage,
	isTurn,
	type MessageUsage,
	noUsage,
	type PriceOf,
	type Spent,
} from '../core/session/usage.ts';

/** The limits of a run, besides those that the session has. */
export type BudgetLimits = {
	/** Returns the budget of a day; undefined without one. */
	readonly day: () => number | undefined;
	/** Returns the requests of all sessions since the local midnight, by the id of their message. */
	readonly requestsToday: () => Promise<ReadonlyMap<string, Spent>>;
	/** The budget of a run without a screen. */
	readonly runUsd?: number | undefined;
	readonly loadPrices: () => Promise<PriceOf>;
};

type Session = {
	/** Returns the requests of the session so far, by the id of their message. */
	readonly usage: () => ReadonlyMap<string, MessageUsage>;
	readonly budgets: () => Budgets;
	readonly tools: readonly ToolDefinition[];
};

/**
 * Creates what is asked before each request of a run. It returns whether there is a budget, warns once when most of one is
 * used, and throws AppError("budget") if the request would probably pass it.
 */
export function createBudgetGuard(session: Session, limits: BudgetLimits) {
	const {usage} = session;
	const before = usage().size;
	const warned = new Set<string>();

	return async function* (
		messages: readonly Message[],
		{model, cause}: Pick<LedgerOptions, 'model' | 'cause'>,
	): AsyncGenerator<AgentEvent, boolean> {
		const {turn, session: ofSession} = session.budgets();
		const ofDay = limits.day();
		if (turn === undefined && ofSession === undefined && ofDay === undefined && limits.runUsd === undefined) {
			return false;
		}

		const priceOf = await limits.loadPrices();
		const byId = usage();
		const all = [...byId.values()];
		const run = all.slice(before);
		const nextUsd = estimateRequest(messages, {all, model, cause, tools: session.tools, priceOf});
		const spent = (requests: readonly Spent[]) => ({spentUsd: knownCost(requests, priceOf)});
		// That of a script has a warning of its own.
		const isLimited = (turn ?? ofSession ?? ofDay) !== undefined;
		if (nextUsd === null && isLimited && !warned.has('price')) {
			warned.add('price');
			yield {type: 'notice', level: 'warning', text: `The price of ${model} is unknown, so no budget can stop it.`};
		}

		const ofToday = ofDay === undefined ? [] : [...withOwn(await limits.requestsToday(), byId).values()];
		const states: readonly BudgetState[] = [
			...(turn === undefined ? [] : [{kind: 'turn' as const, limitUsd: turn, ...spent(run)}]),
			...(ofSession === undefined ? [] : [{kind: 'session' as const, limitUsd: ofSession, ...spent(all)}]),
			...(ofDay === undefined ? [] : [{kind: 'day' as const, limitUsd: ofDay, ...spent(ofToday)}]),
		];
		for (const state of states) {
			assertWithin(state, nextUsd ?? 0);
			if (state.spentUsd >= warningShare * state.limitUsd && !warned.has(state.kind)) {
				warned.add(state.kind);
				yield warningOf(state);
			}
		}

		if (limits.runUsd !== undefined) {
			assertInRun(limits.runUsd, knownCost(run, priceOf), nextUsd ?? 0);
		}

		return true;
	};
}

/** Throws AppError("budget") if the next request would pass the budget of a script, which may be the first one. */
function assertInRun(limitUsd: number, spentUsd: number, nextUsd: number): void {
	if (spentUsd + nextUsd <= limitUsd) {
		return;
	}

	const [message, hint] =
		spentUsd > 0
			? [
					`The next request would pass the budget of $${limitUsd}: spent ${formatUsd(spentUsd)}, estimated ${formatUsd(nextUsd)} more.`,
					'Continue with -c, or allow more with --budget.',
				]
			: [
					`Nothing was sent: the request would cost about ${formatUsd(nextUsd)}, more than the budget of $${limitUsd}.`,
					'Allow more with --budget, or select a cheaper model.',
				];
	throw new AppError('budget', message, {hint});
}

function assertWithin({kind, limitUsd, spentUsd}: BudgetState, nextUsd: number): void {
	if (spentUsd + nextUsd <= limitUsd) {
		return;
	}

	const name = `${budgetName(kind)} of ${formatUsd(limitUsd)}`;
	const more = `${formatUsd(spentUsd)} spent, about ${formatUsd(nextUsd)} for this one`;
	const text =
		spentUsd >= limitUsd
			? `The ${name} is used up: ${formatUsd(spentUsd)} spent.`
			: `The next request would pass the ${name}: ${more}.`;
	throw new AppError('budget', text, {hint: `Raise it: \`budget ${kind} <usd>\` · Remove it: \`budget off\``});
}

function warningOf({kind, limitUsd, spentUsd}: BudgetState): AgentEvent {
	const share = Math.floor((100 * spentUsd) / limitUsd);
	return {
		type: 'notice',
		level: 'warning',
		text: `${share} % of the ${budgetName(kind)} is used: ${formatUsd(spentUsd)} of ${formatUsd(limitUsd)}.`,
		hint: `Raise it: \`budget ${kind} <usd>\``,
	};
}

/** Returns the cost of the requests whose price is known, in US dollars. */
export function knownCost(requests: readonly Spent[], priceOf: PriceOf): number {
	return requests.reduce((sum, request) => sum + (costOfMessage(request, priceOf) ?? 0), 0);
}

/** Returns the time from the last local midnight on, in milliseconds since 1970. */
export function today(): {readonly from: number; readonly to: number} {
	return {from: new Date().setHours(0, 0, 0, 0), to: Number.POSITIVE_INFINITY};
}

/** Returns the requests of today with those of a session, of which some may not be written yet. */
export function withOwn(
	written: ReadonlyMap<string, Spent>,
	own: ReadonlyMap<string, MessageUsage>,
): ReadonlyMap<string, Spent> {
	const {from} = today();
	return new Map([...written, ...[...own].filter(([, {at}]) => Date.parse(at) >= from)]);
}

/** Tokens of a system prompt, and of an answer, before any was reported. */
const [usualSystem, usualAnswer] = [2000, 500];

type Known = Pick<LedgerOptions, 'model' | 'cause'> & {
	readonly all: readonly MessageUsage[];
	readonly tools: readonly ToolDefinition[];
	readonly priceOf: PriceOf;
};

/**
 * Returns the estimated cost of the next request in US dollars: what the last one read, as cheap as it was then, and what
 * is new since. A sub-agent reads none of what the agent did. Null if the price is unknown, and the provider reported no cost
 * of an earlier one.
 */
export function estimateRequest(
	messages: readonly Message[],
	{all, model, cause, tools, priceOf}: Known,
): number | null {
	const turns = all.filter(message => isTurn(message) && message.model === model);
	const output = turns.length > 0 ? turns.reduce((sum, {usage}) => sum + usage.output, 0) / turns.length : usualAnswer;
	const last = turns.at(-1);
	const price = priceOf(model);
	if (!price) {
		return last?.usage.costUsd ?? null;
	}

	const count = last?.current && cause !== 'task' ? (last.prefix?.count ?? 0) : 0;
	if (!last || count === 0 || count > messages.length) {
		const input = usualSystem + tokensOfDefinitions(tools) + tokensOfMessages(messages);
		return costOf({...noUsage, input, output}, price);
	}

	const {usage} = last;
	const isCaching = usage.cacheRead + usage.cacheWrite > 0;
	const read = contextTokens(usage);
	const fresh = tokensOfMessages(messages.slice(count));
	const buckets = isCaching ? {cacheRead: read, input: fresh} : {input: read + fresh};
	return costOf({...noUsage, ...buckets, output}, price);
}
