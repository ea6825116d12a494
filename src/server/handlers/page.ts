import type {ExpressionBuilder, SelectQueryBuilder} from 'kysely';
import type {Queries} from '../database/tables.ts';
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
