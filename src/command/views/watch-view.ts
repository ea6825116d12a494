import {formatNumber, formatUsd} from '../../core/format.ts';
import {totalCost} from '../../core/session/usage.ts';
import type {AppState} from '../../store/store.ts';
import {heldUntil, recentTurns, type Watch} from '../../store/watch-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {intervalText} from '../../watch/watch-condition.ts';
import {limitNotice, shortEnvironmentId} from '../../watch/watch-report.ts';
import type {Result} from '../result.ts';

/** Returns what a watch may cost at most, shown before the user allows it. */
export function costFacts(
	{every, perHour}: Pick<Watch, 'every' | 'perHour'>,
	{model, transcript, priceOf}: Pick<AppState, 'model' | 'transcript' | 'priceOf'>,
): ReadonlyArray<readonly [label: string, value: string]> {
	const last = [...transcript.usage.values()].at(-1);
	const cost = last ? totalCost([last], priceOf) : null;
	return [
		['limit', `at most every ${intervalText(every)} and ${hourlyTurns(perHour)}`],
		['model', model ?? 'none selected yet'],
		...(cost === null ? [] : [['last request', `cost ${formatUsd(cost)}; a turn makes one or more`] as const]),
	];
}

/** Returns the result for a watch that just started. `title` is that of its log, if it is open; untrusted. */
export function watchResult(watch: Watch, title: string | undefined): Result {
	const {number, condition, environment, every, ask, perHour} = watch;
	const limit = `at most every ${intervalText(every)}`;
	const does =
		ask === undefined
			? `You will be notified, ${limit}`
			: `The agent will be asked, ${limit} and ${hourlyTurns(perHour)}`;
	return {
		kind: 'text',
		text: `Watching ${title ? safeLine(title) : shortEnvironmentId(environment)} for ${condition}. ${does}.`,
		hint: `Stop it: /watch stop ${number}`,
		data: dataOf(watch),
	};
}

export function watchesResult(watches: readonly Watch[]): Result {
	const now = Date.now();
	return {
		kind: 'table',
		columns: [
			{label: 'watch', align: 'right'},
			{label: 'environment'},
			{label: 'looks for'},
			{label: 'found', align: 'right'},
			{label: 'does', spare: true},
			{label: 'log'},
		],
		rows: watches.map(watch => [
			String(watch.number),
			shortEnvironmentId(watch.environment),
			watch.condition,
			formatNumber(watch.found),
			watch.ask === undefined
				? `notifies every ${intervalText(watch.every)}`
				: `asks, ${recentTurns(watch, now).length} of ${watch.perHour} turns this hour`,
			watch.state,
		]),
		notes: watches.flatMap(watch => {
			const until = heldUntil(watch, now);
			const {number, isPaused = false, session} = watch;
			const paused = `Watch ${number} couldn't ask the agent. It asks again after your next message in session ${session.slice(0, 8)}.`;
			return [...(until === undefined ? [] : [limitNotice(watch, until)]), ...(isPaused ? [paused] : [])];
		}),
		empty: 'No active watches. Start one: /watch start <condition> <environment>',
		data: watches.map(dataOf),
	};
}

function hourlyTurns(perHour: number): string {
	return perHour === 1 ? 'once an hour' : `${perHour} times an hour`;
}

function dataOf({number, condition, environment, server, every, ask, perHour, found, state, startedAt}: Watch) {
	return {
		number,
		condition,
		environment,
		server,
		every_seconds: every / 1000,
		ask: ask ?? null,
		turns_per_hour: ask === undefined ? null : perHour,
		found,
		state,
		started_at: new Date(startedAt).toISOString(),
	};
}
