import type {BeforeRequest} from '../agent/model-turn.ts';
import {type LedgerOptions, tokensOfDefinitions, tokensOfMessages} from '../agent/request-usage.ts';
import {abortable} from '../core/abortable.ts';
import {AppError} from '../core/error.ts';
import {formatUsd} from '../core/format.ts';
import {type BudgetState, type Budgets, budgetKinds, budgetName, warningShare} from '../core/ledger/budget.ts';
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
	/** The models of which the user was told that their price is unknown. */
	readonly unpricedModels: Set<string>;
};

/** What a run has spent of its budgets, and what its next request will probably cost, in US dollars. */
type Account = {
	readonly states: readonly BudgetState[];
	/** The cost of the requests of this run. */
	readonly runUsd: number;
	readonly openUsd: number;
	readonly hasOpen: boolean;
	/** Null if the price is unknown. */
	readonly nextUsd: number | null;
	/** What is reserved for it: not less than the dearest request like it. */
	readonly reservedUsd: number;
};

/**
 * Creates what is asked before each request of a run. It warns once a run when most of a budget is used, once a session of a
 * model without a price, and throws
 * AppError("budget") if the request would probably pass it. Requests of sub-agents that fit only one by one are made one
 * after the other, so that a budget holds for all of them.
 */
export function createBudgetGuard(session: Session, limits: BudgetLimits): BeforeRequest {
	const before = session.usage().size;
	const warned = new Set<string>();
	const reservations = createReservations();

	return async function* (messages, request) {
		const budgets = {...session.budgets(), day: limits.day()};
		const {turn, session: ofSession, day} = budgets;
		// That of a script has a warning of its own.
		const isLimited = (turn ?? ofSession ?? day) !== undefined;
		if (!isLimited && limits.runUsd === undefined) {
			return undefined;
		}

		const {model, cause, messageId, signal} = request;
		const priceOf = await limits.loadPrices();
		const costOne: CostOne = spent => costOfMessage(spent, priceOf) ?? 0;
		for (;;) {
			const written = day === undefined ? undefined : await limits.requestsToday();
			const byId = session.usage();
			const unrecorded = reservations.beside(byId, costOne);
			const asked = {messages, model, cause, tools: session.tools, priceOf};
			const account = accountOf(byId, {before, budgets, written, unrecorded, asked});
			const notices = warningsOf(account, {model, isLimited, warned, unpriced: session.unpricedModels});
			const refusal = refusalOf(account, limits.runUsd);
			if (refusal || fits(account, limits.runUsd)) {
				// Nothing is awaited between the account and the reservation.
				const settle = refusal ? undefined : reservations.add(messageId, account.reservedUsd);
				yield* notices;
				if (refusal) {
					throw refusal;
				}

				return usage => settle?.(usage ? costOne({model, usage}) : 0);
			}

			yield* notices;
			await reservations.nextEnd(signal);
		}
	};
}

type CostOne = (spent: Spent) => number;

/** What is known of a request. */
type Asked = {
	readonly messages: readonly Message[];
	readonly tools: readonly ToolDefinition[];
	readonly model: string;
	readonly cause: LedgerOptions['cause'];
	readonly priceOf: PriceOf;
};

type Facts = {
	/** The number of requests before the run. */
	readonly before: number;
	readonly budgets: Budgets & {readonly day?: number | undefined};
	/** The requests of today that are on disk; undefined without a budget for the day. */
	readonly written: ReadonlyMap<string, Spent> | undefined;
	readonly unrecorded: Unrecorded;
	readonly asked: Asked;
};

function accountOf(byId: ReadonlyMap<string, MessageUsage>, facts: Facts): Account {
	const {before, budgets, written, asked} = facts;
	const {model, cause, priceOf} = asked;
	const {endedUsd, ...open} = facts.unrecorded;
	const all = [...byId.values()];
	const run = all.slice(before);
	const nextUsd = estimateRequest(asked, all);
	const spentUsd = {
		turn: knownCost(run, priceOf) + endedUsd,
		session: knownCost(all, priceOf) + endedUsd,
		day: written ? knownCost([...withOwn(written, byId).values()], priceOf) + endedUsd : 0,
	};
	const states = budgetKinds.flatMap((kind): readonly BudgetState[] => {
		const limitUsd = budgets[kind];
		return limitUsd === undefined ? [] : [{kind, limitUsd, spentUsd: spentUsd[kind]}];
	});
	const ofModel = run.filter(each => each.model === model);
	const ofKind = ofModel.filter(each => (each.cause === 'task') === (cause === 'task'));
	const like = ofKind.length > 0 ? ofKind : ofModel;
	const dearestUsd = like.reduce((most, each) => Math.max(most, costOfMessage(each, priceOf) ?? 0), 0);
	return {...open, states, runUsd: spentUsd.turn, nextUsd, reservedUsd: Math.max(nextUsd ?? 0, dearestUsd)};
}

/** True if the request fits every budget together with those in progress. */
function fits(
	{states, runUsd, openUsd, hasOpen, reservedUsd}: Account,
	runLimitUsd = Number.POSITIVE_INFINITY,
): boolean {
	const moreUsd = openUsd + reservedUsd;
	const isWithin = states.every(({spentUsd, limitUsd}) => spentUsd + moreUsd <= limitUsd);
	return !hasOpen || (isWithin && runUsd + moreUsd <= runLimitUsd);
}

/** Returns the error of a request that would pass a budget by itself. */
function refusalOf({states, runUsd, nextUsd}: Account, runLimitUsd: number | undefined): AppError | undefined {
	const own = runLimitUsd === undefined ? undefined : refusalInRun(runLimitUsd, runUsd, nextUsd ?? 0);
	return states.map(state => refusalFor(state, nextUsd ?? 0)).find(Boolean) ?? own;
}

type Warning = {
	readonly model: string;
	readonly isLimited: boolean;
	readonly warned: Set<string>;
	readonly unpriced: Set<string>;
};

/** Returns what the user hasn't been warned of. */
function warningsOf({states, nextUsd}: Account, {model, isLimited, warned, unpriced}: Warning): readonly AgentEvent[] {
	const isFirst = (told: Set<string>, name: string) => !told.has(name) && told.add(name).has(name);
	const isNew = (name: string) => isFirst(warned, name);
	const text = `The price of ${model} is unknown, so no budget can stop it.`;
	const isUnpriced = nextUsd === null && isLimited && isFirst(unpriced, model);
	const used = states.filter(state => {
		const {kind, limitUsd, spentUsd} = state;
		return !refusalFor(state, nextUsd ?? 0) && spentUsd >= warningShare * limitUsd && isNew(kind);
	});
	return [...(isUnpriced ? [{type: 'notice', level: 'warning', text} as const] : []), ...used.map(warningOf)];
}

/** Returns the error if the next request would pass the budget of a script, which may be the first one. */
function refusalInRun(limitUsd: number, spentUsd: number, nextUsd: number): AppError | undefined {
	if (spentUsd + nextUsd <= limitUsd) {
		return undefined;
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
	return new AppError('budget', message, {hint});
}

function refusalFor({kind, limitUsd, spentUsd}: BudgetState, nextUsd: number): AppError | undefined {
	if (spentUsd + nextUsd <= limitUsd) {
		return undefined;
	}

	const name = `${budgetName(kind)} of ${formatUsd(limitUsd)}`;
	const more = `${formatUsd(spentUsd)} spent, about ${formatUsd(nextUsd)} for this one`;
	const text =
		spentUsd >= limitUsd
			? `The ${name} is used up: ${formatUsd(spentUsd)} spent.`
			: `The next request would pass the ${name}: ${more}.`;
	return new AppError('budget', text, {hint: `Raise it: \`budget ${kind} <usd>\` · Remove it: \`budget off\``});
}

function warningOf({kind, limitUsd, spentUsd}: BudgetState): AgentEvent {
	const share = Math.floor((100 * spentUsd) / limitUsd);
	return {
		type: 'notice',
		level: 'warning',
		text: `${share}% of the ${budgetName(kind)} is used: ${formatUsd(spentUsd)} of ${formatUsd(limitUsd)}.`,
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

/**
 * Returns the estimated cost of the next request in US dollars: what the last one read, as cheap as it was then, and what
 * is new since. A sub-agent reads none of what the agent did. Null if the price is unknown, and the provider reported no cost
 * of an earlier one.
 */
function estimateRequest({messages, model, cause, tools, priceOf}: Asked, all: readonly MessageUsage[]): number | null {
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

/** Returns the cost of a request in US dollars, 0 for an unknown one. */
type Cost = (request: MessageUsage) => number;

/** What requests of a run cost that its usage lacks, in US dollars. */
type Unrecorded = {
	/** The cost of requests that have ended. */
	readonly endedUsd: number;
	/** What requests in progress will probably cost, without what is recorded of them. */
	readonly openUsd: number;
	readonly hasOpen: boolean;
};

/** Creates what keeps the costs of requests that are made at the same time, until their usage is recorded. */
function createReservations() {
	const reserved = new Map<string, {readonly usd: number; readonly isOpen: boolean}>();
	let waiting: (() => void)[] = [];

	return {
		/** Reserves the cost of a request with this message. The result ends that with the actual one; 0 if it failed. */
		add(messageId: string, usd: number): (actualUsd: number) => void {
			reserved.set(messageId, {usd, isOpen: true});
			return actualUsd => {
				reserved.set(messageId, {usd: actualUsd, isOpen: false});
				const woken = waiting;
				waiting = [];
				for (const wake of woken) {
					wake();
				}
			};
		},
		/** Returns what is reserved beside the recorded usage. */
		beside(recorded: ReadonlyMap<string, MessageUsage>, costOf: Cost): Unrecorded {
			let [endedUsd, openUsd, hasOpen] = [0, 0, false];
			for (const [id, {usd, isOpen}] of reserved) {
				const known = recorded.get(id);
				hasOpen ||= isOpen;
				if (isOpen) {
					openUsd += Math.max(0, usd - (known ? costOf(known) : 0));
				} else if (known) {
					reserved.delete(id);
				} else {
					endedUsd += usd;
				}
			}

			return {endedUsd, openUsd, hasOpen};
		},
		/** Resolves when a request has ended. Rejects with the signal's reason. */
		nextEnd: (signal: AbortSignal) => abortable(new Promise<void>(resolve => waiting.push(resolve)), signal),
	};
}
