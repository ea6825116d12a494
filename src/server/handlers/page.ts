import {type Expression, type ExpressionBuilder, type RawBuilder, type SelectQueryBuilder, sql} from 'kysely';
import type {Queries, Tables} from '../database/tables.ts';
import {reject, rejectField} from '../kit/http-error.ts';
import {findProject, type NamedPlace} from '../kit/scope.ts';

/** The specification has no limits for lists; larger pages would be slow. */
const maxPageSize = 200;
const maxPage = 1_000_000;

type PageQuery = {readonly page: number; readonly page_size: number};

/** Returns the offset and limit of a page. Rejects (422) an invalid page. */
export function pageOf({page, page_size}: PageQuery): {readonly offset: number; readonly limit: number} {
	check('page', page, maxPage);
	check('page_size', page_size, maxPageSize);
	return {offset: (page - 1) * page_size, limit: page_size};
}

type Page<Row> = {items: Row[]; total: number; page: number; page_size: number};

/**
 * Returns one page of `rows`, in an order, and the total number of rows: one question, or two for a page after the last.
 */
export async function readPage<DB, From extends keyof DB, Row>(
	query: PageQuery,
	rows: SelectQueryBuilder<DB, From, Row>,
	inOrder: (rows: SelectQueryBuilder<DB, From, Row>) => SelectQueryBuilder<DB, From, Row>,
): Promise<Page<Row>> {
	const {offset, limit} = pageOf(query);
	const count = rows.clearSelect().select(totalOf).$castTo<{readonly total: number | string}>();
	const found = await inOrder(rows)
		.select(() => count.as('page_total'))
		.offset(offset)
		.limit(limit)
		.$castTo<Row & Counted>()
		.execute();
	const items = found.map(withoutTotal<Row>);
	return {items, total: await totalFrom(found, offset, count), page: query.page, page_size: query.page_size};
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

/** From this row on, a page is looked for from the nearer end of its list. */
const farOffset = 1000;

type Slice = {readonly offset: number; readonly limit: number; readonly isReversed: boolean; readonly total?: number};

/** Returns which rows of a list to read, so that its last page costs what its first does. May count the rows. */
async function sliceOf({offset, limit}: ReturnType<typeof pageOf>, count: () => Promise<number>): Promise<Slice> {
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

/** Returns the ids of a page, to be read from an index alone. */
export async function findPage<DB, From extends keyof DB, Out>(
	query: PageQuery,
	matches: SelectQueryBuilder<DB, From, Out>,
	{order, count}: {readonly order: readonly SortTerm[]; readonly count: TotalQuery},
) {
	const page = pageOf(query);
	const slice = await sliceOf(page, async () => Number((await count.executeTakeFirstOrThrow()).total));
	const ids = toOrder(order, slice.isReversed)
		.reduce((sorted: SelectQueryBuilder<DB, From, Out>, term) => sorted.orderBy(term), matches)
		.offset(slice.offset)
		.limit(slice.limit)
		.select(sql.ref<string>('id').as('id'));
	// What is known isn't counted once more.
	const {total} = slice;
	const pageTotal =
		total === undefined ? sql<number | string>`${count}` : sql<number | string>`cast(${total} as bigint)`;
	return {ids: sql<string>`${ids}`, pageTotal, offset: page.offset, total, order: toOrder(order)};
}

/**
 * Returns one page of a list that may be long, and the total number of its rows: one question, or two for a page far behind the first.
 * `matches` selects the rows from their table alone, `count` reads how many they are, `rowsOf` returns what is known of those with some ids.
 */
export async function readLongPage<DB, From extends keyof DB, Out, DB2, From2 extends keyof DB2, Row>(
	query: PageQuery,
	list: {
		readonly matches: SelectQueryBuilder<DB, From, Out>;
		readonly count: TotalQuery;
		readonly order: readonly SortTerm[];
		readonly rowsOf: (ids: RawBuilder<string>) => SelectQueryBuilder<DB2, From2, Row>;
	},
): Promise<Page<Row>> {
	const {count} = list;
	const {ids, pageTotal, offset, total, order} = await findPage(query, list.matches, list);
	const found = await order
		.reduce((sorted: SelectQueryBuilder<DB2, From2, Row>, term) => sorted.orderBy(term), list.rowsOf(ids))
		.select(pageTotal.as('page_total'))
		.$castTo<Row & Counted>()
		.execute();
	const items = found.map(withoutTotal<Row>);
	return {
		items,
		total: found.length > 0 || total === undefined ? await totalFrom(found, offset, count) : total,
		page: query.page,
		page_size: query.page_size,
	};
}

function withoutTotal<Row>({page_total: _, ...row}: Row & Counted): Row {
	const rest: unknown = row;
	return rest as Row;
}

/** A column with the number of all rows. PostgreSQL's counts are 64-bit. */
export const totalOf = <DB, From extends keyof DB>({fn}: ExpressionBuilder<DB, From>) =>
	fn.countAll<number | string>().as('total');

type Counted = {readonly page_total: number | string | null};

/** Returns the total that each row of a page has. A page after the last has no row, so that it asks once more. */
export async function totalFrom(
	[first]: readonly Counted[],
	offset: number,
	count: {readonly executeTakeFirstOrThrow: () => Promise<{readonly total: number | string}>},
): Promise<number> {
	if (first) {
		return Number(first.page_total);
	}

	return offset === 0 ? 0 : Number((await count.executeTakeFirstOrThrow()).total);
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
