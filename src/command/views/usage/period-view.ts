import {formatAmount, formatDate, formatNumber, formatUsd} from '../../../core/format.ts';
import {groupBy} from '../../../core/group-by.ts';
import {cacheSaving} from '../../../core/ledger/cache-saving.ts';
import {costOfMessage, type PriceOf, sumUsage} from '../../../core/session/usage.ts';
import type {LedgerEntry, SpendLedger} from '../../../storage/read-ledger.ts';
import type {Result} from '../../result.ts';
import {savingText} from '../usage-view.ts';
import {setPriceNote, unpricedModels} from './unknown-price.ts';

type Period = {
	/** A day as YYYY-MM-DD, or a month as YYYY-MM. */
	readonly name: string;
	readonly kind: 'day' | 'month';
};

/** Returns what all sessions used in some time: by model for a day, by day for a month, and its total. */
export function periodResult({name, kind}: Period, {requests, leftOut}: SpendLedger, priceOf: PriceOf): Result {
	const all = [...requests.values()];
	const groupOf = kind === 'day' ? (entry: LedgerEntry) => entry.model : (entry: LedgerEntry) => formatDate(entry.at);
	const groups = groupBy(all, groupOf);
	const label = kind === 'day' ? 'model' : 'day';
	const lines = [...groups]
		.toSorted(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, entries]) => ({name, ...totals(entries, priceOf)}));
	const total = totals(all, priceOf);
	const saving = cacheSaving(all, priceOf);
	const right = 'right';
	const cells = (first: string, {requests: count, cost_usd: usd, unpriced, ...tokens}: Totals) => [
		first,
		formatNumber(count),
		formatNumber(tokens.input_tokens),
		formatNumber(tokens.cache_read_input_tokens),
		formatNumber(tokens.output_tokens),
		formatUsd(unpriced === count && count > 0 ? null : usd),
	];
	return {
		kind: 'table',
		title: `Usage of ${name}, all sessions`,
		columns: [label, 'requests', 'input', 'cache read', 'output', 'cost'].map((each, index) =>
			index === 0 ? {label: each} : {label: each, align: right, ...(each === 'cache read' && {spare: true})},
		),
		rows: [...lines.map(line => cells(line.name, line)), ...(lines.length > 1 ? [cells('total', total)] : [])],
		empty: `Nothing used. Of one session: \`usage show\``,
		notes: [
			...(total.unpriced > 0
				? [
						`${formatAmount(total.unpriced, 'request')} without a known price: not counted as cost.`,
						...unpricedModels(all, priceOf).map(setPriceNote),
					]
				: []),
			...(saving ? [savingText(saving)] : []),
			...(leftOut > 0 ? [`Not read: ${formatAmount(leftOut, 'session')}, too large or unreadable.`] : []),
		],
		data: {
			[kind]: name,
			total,
			[`${label}s`]: lines.map(({name: group, ...line}) => ({[label]: group, ...line})),
			cache_saved_usd: saving?.usd ?? null,
			sessions_left_out: leftOut,
		},
	};
}

type Totals = {
	readonly requests: number;
	readonly sessions: number;
	readonly input_tokens: number;
	readonly cache_read_input_tokens: number;
	readonly cache_creation_input_tokens: number;
	readonly output_tokens: number;
	readonly reasoning_tokens: number;
	/** Of the requests whose price is known. */
	readonly cost_usd: number;
	readonly unpriced: number;
};

function totals(entries: readonly LedgerEntry[], priceOf: PriceOf): Totals {
	const sum = sumUsage(entries);
	const costs = entries.map(entry => costOfMessage(entry, priceOf));
	return {
		requests: entries.length,
		sessions: new Set(entries.map(({session}) => session)).size,
		input_tokens: sum.input,
		cache_read_input_tokens: sum.cacheRead,
		cache_creation_input_tokens: sum.cacheWrite,
		output_tokens: sum.output,
		reasoning_tokens: sum.reasoning,
		cost_usd: costs.reduce((total: number, cost) => total + (cost ?? 0), 0),
		unpriced: costs.filter(cost => cost === null).length,
	};
}

/** The words for a period: the current one, and the one before. */
const words = {day: ['today', 'yesterday'], month: ['this', 'last']} as const;

/** Returns the name of a local day or month: that of now, or as many before it. */
function nameOf(kind: Period['kind'], now: number, before: number): string {
	const at = new Date(now);
	const day = new Date(at.getFullYear(), at.getMonth(), at.getDate() - before);
	const start = kind === 'day' ? day : new Date(at.getFullYear(), at.getMonth() - before);
	return formatDate(start.toISOString()).slice(0, kind === 'day' ? 10 : 7);
}

/** Returns the name of a time in milliseconds since 1970, and its limits. `date` names another day or month, also in a word. */
export function periodOf(
	kind: Period['kind'],
	date: string | undefined,
	now: number,
): (Period & {readonly from: number; readonly to: number}) | undefined {
	const before = words[kind].findIndex(word => word === (date ?? words[kind][0]).toLowerCase());
	const name = before === -1 ? (date ?? '') : nameOf(kind, now, before);
	const [, year, month, day] = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(name) ?? [];
	if (!year || !month || (day === undefined) === (kind === 'day')) {
		return undefined;
	}

	const at = (days: number, months: number) =>
		new Date(Number(year), Number(month) - 1 + months, Number(day ?? 1) + days).getTime();
	const from = at(0, 0);
	const isReal = formatDate(new Date(from).toISOString()).startsWith(name);
	return isReal ? {name, kind, from, to: kind === 'day' ? at(1, 0) : at(0, 1)} : undefined;
}
