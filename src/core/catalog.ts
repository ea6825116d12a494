import {isProviderName, type ModelInfo} from './model.ts';
import type {Price, PriceOf} from './session/usage.ts';

/** Facts about models that need no request. All lookups expect `provider/model-name`. */
export type Catalog = {
	readonly priceOf: PriceOf;
	readonly infoOf: (id: string) => ModelInfo | undefined;
	/** Models that the vendors currently recommend, by vendor. */
	readonly models: readonly ModelInfo[];
	/** The date of the facts, as YYYY-MM-DD. */
	readonly date: string;
	/** The source of the facts. */
	readonly source: string;
};

/** US dollars per million tokens; a cache bucket may have no price of its own. */
type RowPrice = {
	readonly input: number;
	readonly cacheRead?: number;
	readonly cacheWrite?: number;
	readonly output: number;
};

/** A model as in `prices.json`. A row without a price only keeps its names from matching another row's rule. */
type Row = {
	readonly id: string;
	readonly name?: string;
	readonly context?: number;
	readonly current?: boolean;
	readonly price?: RowPrice & {readonly tiers?: readonly (RowPrice & {readonly above: number})[]};
	/** A regular expression for other names of this model. */
	readonly match?: string;
};

type Data = {
	readonly source: string;
	readonly date: string;
	readonly providers: Readonly<Record<string, readonly Row[]>>;
};

/** A snapshot is named after its model and a date, which vendors write in one of these ways. */
const snapshot = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/;

/** Loads the catalog; its lookups are then synchronous. An unknown model has no price, which is never 0. */
export async function loadCatalog(): Promise<Catalog> {
	const {default: data}: {default: Data} = await import('./prices.json', {with: {type: 'json'}});
	const found = new Map<string, Row | undefined>();

	const rowOf = (id: string): Row | undefined => {
		if (!found.has(id)) {
			found.set(id, findRow(data, id));
		}

		return found.get(id);
	};

	return {
		priceOf: id => toPrice(rowOf(id)),
		infoOf(id) {
			const row = rowOf(id);
			return row?.price && {id, name: row.name ?? row.id, contextWindow: row.context};
		},
		models: Object.entries(data.providers).flatMap(([provider, rows]) =>
			rows
				.filter(row => row.current)
				.map(({id, name = id, context}) => ({id: `${provider}/${id}`, name, contextWindow: context})),
		),
		date: data.date,
		source: data.source,
	};
}

function findRow({providers}: Data, id: string): Row | undefined {
	const slash = id.indexOf('/');
	const provider = id.slice(0, slash);
	const name = id
		.slice(slash + 1)
		.trim()
		.toLowerCase();
	const rows = isProviderName(provider) ? (providers[provider] ?? []) : [];
	return matching(rows, name) ?? matching(rows, name.replace(snapshot, ''));
}

/**
 * Returns the row of a model. An exact name wins over any rule; of the rules, the first match in the order of the data.
 */
function matching(rows: readonly Row[], name: string): Row | undefined {
	return (
		rows.find(({id}) => id.toLowerCase() === name) ?? rows.find(({match}) => match && new RegExp(match, 'i').test(name))
	);
}

/** Cached tokens cost as much as others unless the row says otherwise. */
function toPrice(row: Row | undefined): Price | undefined {
	if (!row?.price) {
		return undefined;
	}

	const {tiers} = row.price;
	return {...inBuckets(row.price), ...(tiers && {tiers: tiers.map(tier => ({above: tier.above, ...inBuckets(tier)}))})};
}

function inBuckets({input, output, cacheRead = input, cacheWrite = input}: RowPrice): Omit<Price, 'tiers'> {
	return {input, cacheRead, cacheWrite, output};
}
