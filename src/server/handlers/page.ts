import {
	type Expression,
	type ExpressionBuilder,
	PostgresAdapter,
	type RawBuilder,
	type SelectQueryBuilder,
	type SqlBool,
	sql,
} from 'kysely';
import type {Queries, Tables} from '../database/tables.ts';
import {reject, rejectField} from '../kit/http-error.ts';
import {findProject, type NamedPlace} from '../kit/scope.ts';
import {
	type CursorContext,
	type ListPlace,
	readCursor,
	rejectCursor,
	type SortKey,
	writeCursor,
} from './list-cursor.ts';

/** The specification has no limits for lists; larger pages would be slow. */
const maxPageSize = 200;
const maxPage = 1_000_000;

type PageQuery = {readonly page: number; readonly page_size: number; readonly cursor?: string | null | undefined};

/** Returns the offset and limit of a page. Rejects (422) an invalid page. */
export function pageOf({page, page_size}: PageQuery): {readonly offset: number; readonly limit: number} {
	check('page', page, maxPage);
	check('page_size', page_size, maxPageSize);
	return {offset: (page - 1) * page_size, limit: page_size};
}

/** The page of an answer. A cursor leads to the rows behind or before it, whatever was added and removed meanwhile. */
type PageAnswer = {
	readonly total: number;
	readonly page: number;
	readonly page_size: number;
	readonly next_cursor: string | null;
	readonly previous_cursor: string | null;
};

type Page<Row> = PageAnswer & {readonly items: Row[]};

type ListContext = CursorContext & {readonly services: {readonly database: Queries}};

/**
 * Returns one page of `rows`, in an order, and the total number of rows: one question, or two for a page without rows.
 */
export async function readPage<DB, From extends keyof DB, Row>(
	context: ListContext,
	query: PageQuery,
	rows: SelectQueryBuilder<DB, From, Row>,
	order: readonly SortTerm[],
): Promise<Page<Row>> {
	const part = openPart(context, query, order);
	const {place, limit} = part;
	const count = rows.clearSelect().select(totalOf).$castTo<{readonly total: number | string}>();
	const isBackward = place?.isBackward ?? false;
	const matches = place
		? rows.where(
				sql<SqlBool>`(${sql.join(
					rangesBehind(order, place).map(({where}) => where),
					sql` or `,
				)})`,
			)
		: rows;
	const found = await toOrder(order, isBackward)
		.reduce((sorted: SelectQueryBuilder<DB, From, Row>, term) => sorted.orderBy(term), matches)
		.select(keysOf(order))
		.select(() => count.as('page_total'))
		.offset(place ? 0 : part.offset)
		.limit(place ? limit + 1 : limit)
		.$castTo<Row & Listed>()
		.execute();
	const {items, ...page} = closePart(
		part,
		isBackward ? found.toReversed() : found,
		await totalFrom(found, part, count),
	);
	return {...page, items: items.map(bareRow<Row>)};
}

/** A column that a list is sorted by. Null is the last value in both directions if `nullsLast`. */
export type SortTerm = {
	readonly by: RawBuilder<unknown>;
	readonly direction: 'asc' | 'desc';
	readonly nullsLast?: true;
};

/** Returns a term for a column, with its table. */
export const sortBy = (column: string, direction: SortTerm['direction'] = 'asc'): SortTerm => ({
	by: sql.ref(column),
	direction,
});

/** Returns what a list is sorted by, in order or in the opposite one. */
function toOrder(terms: readonly SortTerm[], isReversed = false): readonly RawBuilder<unknown>[] {
	return terms.map(({by, direction, nullsLast}) => {
		const isAscending = (direction === 'asc') !== isReversed;
		const nulls = nullsLast ? sql.raw(isReversed ? ' nulls first' : ' nulls last') : sql.raw('');
		return sql`${by} ${sql.raw(isAscending ? 'asc' : 'desc')}${nulls}`;
	});
}

/** The columns with what each row is sorted by. */
export const keysOf = (order: readonly SortTerm[]) => order.map(({by}, index) => by.as(`sort_key_${index}`));

/** Some of the rows of a list, in the order of a part of an index. */
type Range = {readonly where: RawBuilder<SqlBool>; readonly order: readonly SortTerm[]};

/**
 * Returns the ranges of the rows behind a place, or before it: for each term, those that are equal in the terms before. Each is
 * one range of an index in this order, so that no row outside is read.
 */
function rangesBehind(order: readonly SortTerm[], {keys, isBackward}: ListPlace): readonly Range[] {
	return order.flatMap((term, level) => {
		const isEqual = order.slice(0, level).map(({by}, index) => isAt(by, keys[index] ?? null));
		return behind(term, keys[level] ?? null, isBackward).map(range => ({
			where: sql<SqlBool>`(${sql.join([...isEqual, range], sql` and `)})`,
			// SQLite would sort by an expression that is equal in all rows, and PostgreSQL if one that is null were left out.
			order: order.filter((_, index) => index >= level || keys[index] === null),
		}));
	});
}

const isAt = (by: SortTerm['by'], key: SortKey) => (key === null ? sql`${by} is null` : sql`${by} = ${key}`);

/** Returns the ranges of one term behind a key. Null is the last value if the term says so, and never occurs otherwise. */
function behind(
	{by, direction, nullsLast}: SortTerm,
	key: SortKey,
	isBackward: boolean,
): readonly RawBuilder<unknown>[] {
	if (key === null) {
		return isBackward ? [sql`${by} is not null`] : [];
	}

	const isGreater = (direction === 'asc') !== isBackward;
	return [
		sql`${by} ${sql.raw(isGreater ? '>' : '<')} ${key}`,
		...(nullsLast && !isBackward ? [sql`${by} is null`] : []),
	];
}

/** The part of a list that is asked for. */
type Part = {
	readonly context: ListContext;
	readonly order: readonly SortTerm[];
	readonly offset: number;
	readonly limit: number;
	/** Where it begins; left out for a page by its number. */
	readonly place: ListPlace | undefined;
	readonly page: number;
};

/** Reads which part of a list is asked for. Rejects an invalid page (422) or cursor (400). */
function openPart(context: ListContext, query: PageQuery, order: readonly SortTerm[]): Part {
	const {offset, limit} = pageOf(query);
	const place = query.cursor ? readCursor(context, query.cursor) : undefined;
	if (place && place.keys.length !== order.length) {
		rejectCursor();
	}

	return {context, order, offset, limit, place, page: place?.page ?? query.page};
}

/** Returns the rows of a part, of which one more may have been read behind a place, with its answer. */
function closePart<Row extends object>(
	{context, order, offset, limit, place, page}: Part,
	rows: readonly Row[],
	total: number,
): PageAnswer & {readonly items: Row[]} {
	const isBackward = place?.isBackward ?? false;
	const items = isBackward ? rows.slice(-limit) : rows.slice(0, limit);
	const [first] = items;
	const last = items.at(-1);
	const hasMore = place ? rows.length > limit : offset + rows.length < total;
	const hasNext = isBackward || hasMore;
	const hasPrevious = isBackward ? hasMore : place !== undefined || offset > 0;
	const keyOf = (row: object) => order.map((_, index): SortKey => Reflect.get(row, `sort_key_${index}`));
	const before = {isBackward: true, page: Math.max(1, page - 1)};
	const after = {isBackward: false, page: page + 1};
	return {
		items,
		total,
		page,
		page_size: limit,
		next_cursor: last && hasNext ? writeCursor(context, {...after, keys: keyOf(last)}) : null,
		previous_cursor: first && hasPrevious ? writeCursor(context, {...before, keys: keyOf(first)}) : null,
	};
}

/** From this row on, a page is looked for from the nearer end of its list. */
export const farOffset = 1000;

type Slice = {readonly offset: number; readonly limit: number; readonly isReversed: boolean; readonly total?: number};

/** Returns which rows of a list to read, so that its last page costs what its first does. May count the rows. */
async function sliceOf({offset, limit, place}: Part, count: () => Promise<number>): Promise<Slice> {
	if (place) {
		// One more shows whether another page follows.
		return {offset: 0, limit: limit + 1, isReversed: place.isBackward};
	}

	if (offset < farOffset) {
		return {offset, limit, isReversed: false};
	}

	const total = await count();
	const behind = total - offset - limit;
	return behind < offset
		? {offset: Math.max(0, behind), limit: Math.max(0, Math.min(limit, total - offset)), isReversed: true, total}
		: {offset, limit, isReversed: false, total};
}

/** A query for how many rows a list has. */
type TotalQuery = Expression<{readonly total: number | string}> & {
	readonly executeTakeFirstOrThrow: () => Promise<{readonly total: number | string}>;
};

type ListScope = {
	readonly list: Tables['list_totals']['list'];
	/** A workspace, a project or an assessment. */
	readonly scopeId: string | Expression<string>;
	/** Who reads a list of which some rows belong to one user alone. */
	readonly userId?: string;
};

/** Returns a query for how many rows a list has in a scope. It reads what triggers keep instead of counting. */
export const keptTotal = (queries: Queries, {list, scopeId, userId}: ListScope) =>
	queries
		.selectFrom('list_totals')
		.select(({fn, val}) => fn.coalesce(fn.sum<number | string>('total'), val(0)).as('total'))
		.where('scope_id', '=', scopeId)
		.where('list', '=', list)
		.where('owner', 'in', ['', ...(userId === undefined ? [] : [userId])]);

/** A list that may be long. */
type LongList<DB, From extends keyof DB, Out> = {
	/** The rows, from their table alone: of one range of an index in the order of the list, or of several. */
	readonly matches: readonly SelectQueryBuilder<DB, From, Out>[];
	readonly order: readonly SortTerm[];
	/** Reads how many they are. */
	readonly count: TotalQuery;
};

/**
 * Returns a query for the ids of a page, which is answered by an index alone, with the columns and the order to read its rows by.
 * `close` turns these rows into the answer.
 */
export async function findPage<DB, From extends keyof DB, Out>(
	context: ListContext,
	query: PageQuery,
	{matches, order, count}: LongList<DB, From, Out>,
) {
	const part = openPart(context, query, order);
	const slice = await sliceOf(part, async () => Number((await count.executeTakeFirstOrThrow()).total));
	const ranges = part.place ? rangesBehind(order, part.place) : [{where: undefined, order}];
	const parts = matches.flatMap(rows =>
		ranges.map(({where, ...range}) => ({...range, rows: where ? rows.where(where) : rows})),
	);
	// What is known isn't counted once more.
	const {total} = slice;
	const pageTotal =
		total === undefined ? sql<number | string>`${count}` : sql<number | string>`cast(${total} as bigint)`;
	// SQLite merges whole ranges in one order while it reads them. PostgreSQL would sort them, and is told how far to read each.
	const merges = !part.place && !(context.services.database.getExecutor().adapter instanceof PostgresAdapter);
	return {
		ids: idsOf(parts, order, slice, merges),
		pageTotal,
		keys: keysOf(order),
		order: toOrder(order),
		close: async <Row extends Counted>(rows: readonly Row[]) =>
			closePart(part, rows, rows.length > 0 || total === undefined ? await totalFrom(rows, part, count) : total),
	};
}

/** Returns a query for the ids of a slice of rows, from all ranges, in the order of all. */
function idsOf<DB, From extends keyof DB, Out>(
	ranges: readonly {readonly rows: SelectQueryBuilder<DB, From, Out>; readonly order: readonly SortTerm[]}[],
	order: readonly SortTerm[],
	{offset, limit, isReversed}: Slice,
	merges: boolean,
): RawBuilder<string> {
	const lists = ranges.map(({rows, order: own}) => {
		const ids = rows.select(sql.ref<string>('id').as('id'));
		const inOrder = toOrder(own, isReversed).reduce((sorted, term) => sorted.orderBy(term), ids);
		return {ids, inOrder};
	});
	const [only] = lists;
	if (only && lists.length === 1) {
		return sql<string>`${only.inOrder.offset(offset).limit(limit)}`;
	}

	const keys = keysOf(order);
	const parts = lists.map(({ids, inOrder}) => {
		const beginning = inOrder.select(keys).limit(offset + limit);
		return merges ? sql`select * from ${ids.select(keys)} as whole` : sql`select * from ${beginning} as beginning`;
	});
	const byKeys = order.map((term, index) => ({...term, by: sql.ref(`sort_key_${index}`)}));
	return sql<string>`(select id from (${sql.join(parts, sql` union all `)}
		order by ${sql.join(toOrder(byKeys, isReversed))} limit ${limit} offset ${offset}) as ranges)`;
}

/**
 * Returns one page of a list that may be long, and the total number of its rows: one question, or two for a page far behind the
 * first. `rowsOf` returns what is known of the rows with some ids.
 */
export async function readLongPage<DB, From extends keyof DB, Out, DB2, From2 extends keyof DB2, Row>(
	context: ListContext,
	query: PageQuery,
	list: LongList<DB, From, Out> & {
		readonly rowsOf: (ids: RawBuilder<string>) => SelectQueryBuilder<DB2, From2, Row>;
	},
): Promise<Page<Row>> {
	const {ids, pageTotal, order, keys, close} = await findPage(context, query, list);
	const found = await order
		.reduce((sorted: SelectQueryBuilder<DB2, From2, Row>, term) => sorted.orderBy(term), list.rowsOf(ids))
		.select(pageTotal.as('page_total'))
		.select(keys)
		.$castTo<Row & Listed>()
		.execute();
	const {items, ...page} = await close(found);
	return {...page, items: items.map(bareRow<Row>)};
}

/** Returns a row without what only its page needs. */
export function bareRow<Row>(row: Row & Listed): Row {
	const rest: unknown = Object.fromEntries(
		Object.entries(row).filter(([name]) => name !== 'page_total' && !name.startsWith('sort_key_')),
	);
	return rest as Row;
}

/** A column with the number of all rows. PostgreSQL's counts are 64-bit. */
export const totalOf = <DB, From extends keyof DB>({fn}: ExpressionBuilder<DB, From>) =>
	fn.countAll<number | string>().as('total');

type Counted = {readonly page_total: number | string | null};

/** A row with the total of its list and its sort keys. */
type Listed = Counted & object;

/** Returns the total that each row of a page has. A page without rows asks once more, unless it is the first. */
async function totalFrom(
	[first]: readonly Counted[],
	{offset, place}: Part,
	count: {readonly executeTakeFirstOrThrow: () => Promise<{readonly total: number | string}>},
): Promise<number> {
	if (first) {
		return Number(first.page_total);
	}

	return offset === 0 && !place ? 0 : Number((await count.executeTakeFirstOrThrow()).total);
}

/** Returns the id of the project that a list is filtered by; undefined if none is given. Rejects (404) an unknown one. */
export function filterProjectId(
	{filterProject}: {readonly filterProject?: NamedPlace | undefined},
	project: string | null | undefined,
): string | undefined {
	return project ? (filterProject?.id ?? rejectProject(project)) : undefined;
}

/** Returns the id of a project by slug or UUID; undefined if none is given. Rejects (404) an unknown one. */
export async function projectIdOf(
	queries: Queries,
	workspaceId: string,
	project: string | null | undefined,
): Promise<string | undefined> {
	if (!project) {
		return undefined;
	}

	const found = await findProject(queries, workspaceId, project);
	return found?.id ?? rejectProject(project);
}

function rejectProject(project: string): never {
	return reject(404, `Project not found in this workspace: “${project}”.`);
}

function check(name: string, value: number, max: number): void {
	if (value < 1 || value > max) {
		const msg = `must be between 1 and ${max}`;
		rejectField(['query', name], msg, 'out_of_range');
	}
}
