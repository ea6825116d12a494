import {createHash} from 'node:crypto';
import {
	type CapCounts,
	type CapLimits,
	type CapName,
	capNames,
	caps,
	createCapCounts,
	raiseHint,
} from '../core/caps.ts';
import type {CommandPlace} from '../core/command-words.ts';
import type {ErrorReport} from '../core/error.ts';
import {formatAmount, formatNumber} from '../core/format.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {UsageCause} from '../core/session/request-record.ts';
import type {ToolCall} from './model-turn.ts';

export type Budget = {
	readonly limitUsd: number;
	/** Returns the cost in US dollars of every event so far; null if a price is unknown. */
	readonly spentUsd: () => number | null;
};

/** What a run may use. */
export type RunLimits = {
	/** The turns of this loop alone. The tools of the last one still run, so that the session can continue. */
	readonly maxTurns?: number | undefined;
	/** What the run and its sub-agents have used of their caps; those of a run alone by default. */
	readonly counts?: CapCounts;
	readonly budget?: Budget | undefined;
};

/** What a run is, as far as what is said of its limits depends on it. */
type Subject = {
	readonly model: string;
	readonly cause?: UsageCause | undefined;
	readonly commandPlace?: CommandPlace | undefined;
};

/** Watches the limits of a run. Each function returns the reason to stop. */
export type LimitWatch = {
	/** Counts a turn. Sub-agents at the same time can't use more together than are left. */
	readonly beforeTurn: () => ErrorReport | undefined;
	/** Warns once if most turns are used, and once if the cost is unknown. */
	readonly afterTurn: () => Generator<AgentEvent, ErrorReport | undefined>;
};

/** Caps of fewer turns are used up soon after a warning, and were chosen for that. */
const minWarnedTurns = 50;
const warnedShare = 0.8;

export function watchLimits(limits: RunLimits, subject: Subject): LimitWatch {
	const {maxTurns = Number.POSITIVE_INFINITY, counts = createCapCounts(), budget} = limits;
	const {model, cause} = subject;
	let turns = 0;
	let warned = false;

	const limit = () => counts.limits().turns;
	const isUsedUp = () => counts.used('turns') >= limit();

	return {
		beforeTurn: () => (counts.take('turns') ? undefined : turnsUsedUp(counts.limits(), subject)),
		*afterTurn() {
			turns++;
			if (turns >= maxTurns) {
				const message = `Reached the limit of ${formatAmount(turns, 'turn')}.`;
				return {code: 'budget', message, hint: 'Continue with -c, or allow more with --max-turns.'};
			}

			if (isUsedUp()) {
				return turnsUsedUp(counts.limits(), subject);
			}

			const isNear = limit() >= minWarnedTurns && counts.used('turns') >= warnedShare * limit();
			if (isNear && cause !== 'task' && counts.isFirst('turns')) {
				const text = `This run has used ${counts.used('turns')} of ${formatNumber(limit())} turns.`;
				yield {type: 'notice', level: 'warning', text, hint: raiseHint('turns', counts.limits())};
			}

			const spentUsd = budget?.spentUsd();
			if (spentUsd === null && !warned) {
				warned = true;
				yield {
					type: 'notice',
					level: 'warning',
					text: `The price of ${model} is unknown, so the budget can't stop this run.`,
				};
			}

			if (budget && typeof spentUsd === 'number' && spentUsd >= budget.limitUsd) {
				const message = `Reached the budget of $${budget.limitUsd}: spent $${spentUsd.toFixed(4)}.`;
				return {code: 'budget', message, hint: 'Continue with -c, or allow more with --budget.'};
			}

			return undefined;
		},
	};
}

function turnsUsedUp(limits: CapLimits, {commandPlace, cause}: Subject): ErrorReport {
	const {turns: limit} = limits;
	const message =
		cause === 'watch'
			? `No turn is left: ${formatNumber(limit)} were used since your last message.`
			: `This run stopped after ${formatAmount(limit, 'turn')}.`;
	const next = commandPlace === 'shell' ? 'Continue with -c' : 'Send a message to continue';
	return {code: 'budget', message, hint: `${next}. ${raiseHint('turns', limits)}`};
}

/** What is said of a call that a cap refuses: to the model, and the first time to the user. */
export type CapRefusal = {readonly output: string; readonly notice?: {readonly text: string; readonly hint: string}};

/** Counts a call of a tool. Returns what is said if a cap refuses it. */
export function countCall(tool: string, counts: CapCounts): CapRefusal | undefined {
	const name = capNames.find(each => 'tool' in caps[each] && caps[each].tool === tool);
	return name === undefined || counts.take(name) ? undefined : refusalOf(name, counts);
}

function refusalOf(name: CapName, counts: CapCounts): CapRefusal {
	const row = caps[name];
	const limits = counts.limits();
	const {[name]: limit} = limits;
	const [one, several] = row.units;
	const amount = `${formatNumber(limit)} ${limit === 1 ? one : several}`;
	const hint = raiseHint(name, limits);
	const refused = 'refused' in row ? row.refused : '';
	const output = `${refused} This run has used its ${amount}. Finish with what you have, and tell the user what is missing. ${hint}`;
	const notice = {text: `This run has used its ${amount}. More are refused.`, hint};
	return {output, ...(counts.isFirst(name) && {notice})};
}

/** Most consecutive turns without anything new. */
const maxStaleTurns = 5;

/** Calls that take longer wait for something: a line of a log, or the end of a build. */
const waitingMs = 10_000;

/** Returns true after a turn of a loop. `durationMs` is how long its calls took. */
export type RepetitionGuard = (calls: readonly ToolCall[], answers: readonly Message[], durationMs: number) => boolean;

/**
 * Creates a guard against endless loops. It returns true once five consecutive turns only repeated calls and got the same
 * answers. Progress never counts as a loop: a test that runs again after a change has another result. Neither does
 * waiting, which costs a request now and then.
 */
export function createRepetitionGuard(): RepetitionGuard {
	const seen = new Set<string>();
	let stale = 0;

	return (calls, answers, durationMs) => {
		const known = seen.size;
		for (const [index, {name, arguments: args, malformed}] of calls.entries()) {
			const answer = answers[index];
			const exchange = [name, args, malformed, answer?.role === 'tool' && answer.output];
			seen.add(createHash('sha256').update(JSON.stringify(exchange)).digest('base64'));
		}

		const isStale = calls.length > 0 && seen.size === known && durationMs < waitingMs;
		stale = isStale ? stale + 1 : 0;
		return stale >= maxStaleTurns;
	};
}
