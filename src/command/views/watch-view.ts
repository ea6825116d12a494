import {formatNumber, formatUsd} from '../../core/format.ts';
import {totalCost} from '../../core/session/usage.ts';
import type {AppState} from '../../store/store.ts';
import {heldUntil, recentTurns, type Watch} from '../../store/watch-slice.ts';
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
		['limit', `up to ${turns(perHour, every)}`],
		['model', model ?? 'none selected yet'],
		...(cost === null ? [] : [['last request', `cost ${formatUsd(cost)}; a turn makes one or more`] as const]),
	];
}

/** Returns the result for a watch that just started. */
export function watchResult(watch: Watch): Result {
	const {number, condition, environment, every, ask, perHour} = watch;
	const does =
		ask === undefined
			? `You will be notified, at most every ${intervalText(every)}`
			: `The agent will be asked, up to ${turns(perHour, every)}`;
	return {
		kind: 'text',
		text: `Watch ${number}: watching ${shortEnvironmentId(environment)} for “${condition}”. ${does}.`,
		hint: `/watch shows it, /watch stop ${number} stops it.`,
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
			return until === undefined ? [] : [limitNotice(watch, until)];
		}),
		empty: 'No active watches.',
		data: watches.map(dataOf),
	};
}

function turns(perHour: number, every: number): string {
	return `${perHour} ${perHour === 1 ? 'time' : 'times'} an hour, at most every ${intervalText(every)}`;
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
